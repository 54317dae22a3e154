"""Which network the ledger answers for, and the numbers that a network agrees on."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

PASSPHRASES = {
    "stellar:local": "Standalone Network ; February 2017",
    "stellar:testnet": "Test SDF Network ; September 2015",
}
PROTOCOL = 28
BASE_FEE = 100
BASE_RESERVE = 5_000_000
TOTAL_COINS = 10**18
"""Stroops in existence: 100 billion XLM."""
MAX_TRANSACTIONS = 1000
MAX_ENTRY_TTL = 3_110_400
MIN_PERSISTENT_TTL = 120_960
PERSISTENT = 2**32 - 1
"""The last ledger of entries that never expire here: no rent is asked for contract instances and balances."""


class NetworkRefused(Exception):
    """The ledger does not pretend to be this network. The message says why."""


@dataclass(frozen=True)
class Network:
    """`minimum_temporary_ttl`: ledgers that a temporary entry lives at least; `retention`: ledgers kept for reading."""

    name: str
    passphrase: str
    minimum_temporary_ttl: int = 17_280
    retention: int = 120_960

    @property
    def id(self) -> bytes:
        return sha256(self.passphrase.encode()).digest()


def network(name: str, *, minimum_temporary_ttl: int = 17_280, retention: int = 120_960) -> Network:
    """The network of a CAIP-2 name. Raises NetworkRefused for mainnet and for names that nobody has."""
    if name == "stellar:pubnet":
        raise NetworkRefused("stellar:pubnet is real money. The sandbox never answers for it.")
    if name not in PASSPHRASES:
        raise NetworkRefused(f"{name} is not a network of the sandbox; there are {', '.join(PASSPHRASES)}.")
    if minimum_temporary_ttl < 1 or retention < 1:
        raise NetworkRefused("The life of temporary entries and the retention are 1 ledger or more.")
    return Network(name, PASSPHRASES[name], minimum_temporary_ttl, retention)
