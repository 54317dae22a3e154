"""Keys of the ledger entries that a payment depends on, as the base64 XDR that `getLedgerEntries` takes.

Put together byte by byte: four of them are made for every verification.
"""

from __future__ import annotations

import base64
import struct
from dataclasses import dataclass
from functools import lru_cache

from lensproject.core.stellar.strkeys import account_address, contract_address, raw_account, raw_contract

_ACCOUNT_ID = struct.pack(">i", 0)
_ADDRESS_VALUE = struct.pack(">i", 18)
_BALANCE = struct.pack(">iIIiI8s", 16, 1, 2, 15, 7, b"Balance\0")
_NONCE = 21
_TEMPORARY, _PERSISTENT = 0, 1
_STATE_ARCHIVAL = 10


@dataclass(frozen=True)
class Token:
    """The asset of a payment as far as its ledger entries are known: a classic asset (`code`, `issuer`), or lumens,
    whose issuer is empty. Token contracts that are no classic asset's keep their balances where they like.
    """

    contract: str
    code: str
    issuer: str

    @property
    def is_native(self) -> bool:
        return not self.issuer


def address_bytes(address: str) -> bytes:
    """The SCAddress of a `G…` or `C…` address."""
    if address.startswith("C"):
        return struct.pack(">i", 1) + raw_contract(address)
    return struct.pack(">ii", 0, 0) + raw_account(address)


def address_of(raw: bytes) -> str:
    """The `G…` or `C…` address of an SCAddress that is one of these two."""
    return contract_address(raw[4:]) if raw[:4] == struct.pack(">i", 1) else account_address(raw[8:])


@lru_cache(maxsize=4096)
def account(address: str) -> str:
    return _text(struct.pack(">i", 0) + _ACCOUNT_ID + raw_account(address))


@lru_cache(maxsize=4096)
def trustline(address: str, token: Token) -> str:
    code = token.code.encode("ascii")
    kind, size = (1, 4) if len(code) <= 4 else (2, 12)
    asset = struct.pack(">i", kind) + code.ljust(size, b"\0") + _ACCOUNT_ID
    return _text(struct.pack(">i", 1) + _ACCOUNT_ID + raw_account(address) + asset + raw_account(token.issuer))


@lru_cache(maxsize=4096)
def contract_balance(address: str, token: Token) -> str:
    """Where a classic asset's contract keeps what a contract address holds."""
    key = _BALANCE + _ADDRESS_VALUE + address_bytes(address)
    return _contract_data(token.contract, key, _PERSISTENT)


def nonce(address: str, value: int) -> str:
    """The entry that the host writes when it accepts an authorisation of this address under this nonce."""
    return _contract_data(address, struct.pack(">iq", _NONCE, value), _TEMPORARY)


def state_archival() -> str:
    """The network's settings of how long entries live."""
    return _text(struct.pack(">ii", 8, _STATE_ARCHIVAL))


def _contract_data(contract: str, key: bytes, durability: int) -> str:
    return _text(struct.pack(">i", 6) + address_bytes(contract) + key + struct.pack(">i", durability))


def _text(raw: bytes) -> str:
    return base64.b64encode(raw).decode("ascii")
