"""The sandbox's own keys: of the friendbot and of the issuer of its USDC-like asset. Play money, and still 0600."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from stellar_sdk import Asset, Keypair
from stellar_sdk.exceptions import SdkError

CODE = "USDC"
TESTNET_ISSUER = "GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5"
"""Whose contract on testnet is the one that x402 packages know as USDC."""
LOCAL_ISSUER = Keypair.from_raw_ed25519_seed(sha256(b"issuer of the sandbox's USDC").digest()).public_key
"""The same in every sandbox, so that the asset's contract is too. Its own key signs nothing: its weight is 0."""
ISSUERS = {"stellar:testnet": TESTNET_ISSUER, "stellar:local": LOCAL_ISSUER}


class KeysUnreadable(Exception):
    """The file of keys is there and cannot be used."""


@dataclass(frozen=True)
class Keys:
    """`minter` is the one signer of the issuer's account."""

    friendbot: Keypair
    minter: Keypair
    issuer: str

    @property
    def asset(self) -> Asset:
        return Asset(CODE, self.issuer)


def load(file: Path, network: str) -> Keys:
    """Read the keys, or make them. They outlive a reset of the ledger."""
    if not file.exists():
        _make(file)
    try:
        secrets = json.loads(file.read_text())
        friendbot, minter = (Keypair.from_secret(secrets[name]) for name in ("friendbot", "minter"))
    except (ValueError, KeyError, TypeError, OSError, SdkError) as error:
        raise KeysUnreadable(f"{file} holds no keys of a sandbox ({type(error).__name__}); move it away") from error
    return Keys(friendbot, minter, ISSUERS[network])


def _make(file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    secrets = {name: Keypair.random().secret for name in ("friendbot", "minter")}
    opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(opened, "w") as written:
        json.dump(secrets, written)
