"""What an address holds of an asset and may do with it, read from ledger entries."""

from __future__ import annotations

import base64
import binascii
import struct
from collections.abc import Mapping
from dataclasses import dataclass

from stellar_sdk import xdr

from lensproject.core.stellar.answers import Entry
from lensproject.core.stellar.faults import NodeGarbage
from payments.x402 import ledger_keys
from payments.x402.ledger_keys import Token
from payments.x402.optional import given

BASE_RESERVE = 5_000_000
"""Stroops that an account keeps for each of its entries, and twice for itself; the same on every network since 2019."""

_AUTHORISED = 1


@dataclass(frozen=True)
class Holding:
    """`spendable` in units of the asset. No trustline: not `exists`. Taken away by the issuer: not `authorised`."""

    exists: bool
    authorised: bool
    spendable: int


_ABSENT = Holding(False, False, 0)


def key_of(address: str, token: Token) -> str | None:
    """Where the address's holding is; None for the issuer, who has no entry and any amount."""
    if address.startswith("C"):
        return ledger_keys.contract_balance(address, token)
    if token.is_native:
        return ledger_keys.account(address)
    return None if address == token.issuer else ledger_keys.trustline(address, token)


def holding(address: str, token: Token, found: Mapping[str, Entry]) -> Holding | None:
    """The holding among entries that were asked for by `key_of`; None when entries cannot tell. Raises NodeGarbage."""
    key = key_of(address, token)
    if key is None:
        return None
    entry = found.get(key)
    try:
        if address.startswith("C"):
            # A contract needs no trustline: nothing held is no entry.
            return Holding(True, True, 0) if entry is None else _of_contract(entry)
        if token.is_native:
            return Holding(True, True, 0 if entry is None else _lumens(entry))
        return _ABSENT if entry is None else _of_trustline(key, entry)
    except NodeGarbage:
        raise
    except Exception:  # The SDK's reader raises errors of many kinds on bytes that are no XDR.
        raise NodeGarbage("getLedgerEntries: an entry is not what its key says") from None


def minimum_life(entry: Entry) -> int:
    """`minTemporaryTTL` in the network's settings: ledgers that a nonce's entry lives at least."""
    try:
        settings = given(xdr.LedgerEntryData.from_xdr(entry.xdr).config_setting)
        return given(settings.state_archival_settings).min_temporary_ttl.uint32
    except Exception:
        raise NodeGarbage("getLedgerEntries: the state archival settings cannot be read") from None


def _of_trustline(key: str, entry: Entry) -> Holding:
    """The entry begins with the bytes of its key; then balance, limit, flags, and perhaps liabilities."""
    try:
        raw, at = base64.b64decode(entry.xdr, validate=True), len(base64.b64decode(key))
    except (binascii.Error, ValueError):
        raise NodeGarbage("getLedgerEntries: an entry is not base64") from None
    balance, _, flags, extension = struct.unpack_from(">qqIi", raw, at)
    selling = struct.unpack_from(">qq", raw, at + 24)[1] if extension == 1 else 0
    return Holding(True, bool(flags & _AUTHORISED), balance - selling)


def _lumens(entry: Entry) -> int:
    return spendable_lumens(given(xdr.LedgerEntryData.from_xdr(entry.xdr).account))


def spendable_lumens(account: xdr.AccountEntry) -> int:
    """Stroops above the account's reserve and what it has offered for sale."""
    entries, selling = 2 + account.num_sub_entries.uint32, 0
    if account.ext.v1 is not None:
        selling = account.ext.v1.liabilities.selling.int64
        sponsored = account.ext.v1.ext.v2
        if sponsored is not None:
            entries += sponsored.num_sponsoring.uint32 - sponsored.num_sponsored.uint32
    return max(0, account.balance.int64 - entries * BASE_RESERVE - selling)


def _of_contract(entry: Entry) -> Holding:
    data = given(xdr.LedgerEntryData.from_xdr(entry.xdr).contract_data)
    items = given(data.val.map).sc_map
    fields = {item.key.sym.sc_symbol: item.val for item in items if item.key.sym is not None}
    amount, authorised = given(fields[b"amount"].i128), given(fields[b"authorized"].b)
    return Holding(True, authorised, (amount.hi.int64 << 64) | amount.lo.uint64)
