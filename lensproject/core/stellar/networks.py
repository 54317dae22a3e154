"""The Stellar networks by their CAIP-2 names (CAIP-2 namespace `stellar`): passphrase and id."""

from __future__ import annotations

from hashlib import sha256

PUBNET = "stellar:pubnet"
TESTNET = "stellar:testnet"
LOCAL = "stellar:local"

PASSPHRASES = {
    PUBNET: "Public Global Stellar Network ; September 2015",
    TESTNET: "Test SDF Network ; September 2015",
    LOCAL: "Standalone Network ; February 2017",
}
NETWORK_IDS = {name: sha256(passphrase.encode()).digest() for name, passphrase in PASSPHRASES.items()}
"""What a signature is bound to: SHA-256 of the passphrase."""
