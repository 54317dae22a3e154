"""getLatestLedger, getLedgers, getLedgerEntries."""

from __future__ import annotations

import base64
import binascii

from stellar_sdk import xdr

from payments.sandbox.node import View
from payments.sandbox.records import LedgerRow
from payments.sandbox.rpc import parameters as asked
from payments.sandbox.rpc.parameters import Json

MOST_KEYS = 200
_HIDDEN = (xdr.LedgerEntryType.TTL,)


def latest(view: View, parameters: Json) -> Json:
    row = view.latest
    header = xdr.LedgerHeaderHistoryEntry.from_xdr_bytes(row.header).header
    return {
        "id": row.hash.hex(),
        "protocolVersion": header.ledger_version.uint32,
        "sequence": row.sequence,
        "closeTime": str(view.close_time),
        "headerXdr": header.to_xdr(),
        "metadataXdr": _text(row.meta),
    }


def several(view: View, parameters: Json) -> Json:
    asked.plain(parameters)
    cursor, limit = asked.page(parameters, default=5, most=200)
    if cursor is None:
        start = asked.number(parameters, "startLedger")
        first = asked.start_within(start, view.oldest.sequence, view.sequence)
    elif cursor.isdecimal() and len(cursor) <= 10:
        first = int(cursor) + 1
    else:
        raise asked.invalid("cursor must be the sequence of a ledger")
    rows = view.store.ledgers(first, view.sequence, limit)
    return {
        "ledgers": [_told(row) for row in rows],
        "cursor": str(rows[-1].sequence if rows else first - 1),
        "latestLedger": view.sequence,
        "latestLedgerCloseTime": view.close_time,
        "oldestLedger": view.oldest.sequence,
        "oldestLedgerCloseTime": view.oldest.close_time,
    }


def _told(row: LedgerRow) -> Json:
    return {
        "hash": row.hash.hex(),
        "sequence": row.sequence,
        "ledgerCloseTime": str(row.close_time),
        "headerXdr": _text(row.header),
        "metadataXdr": _text(row.meta),
    }


def entries(view: View, parameters: Json) -> Json:
    """What is there of the keys, in their order; entries whose life is over are not."""
    asked.plain(parameters)
    keys = asked.texts(parameters, "keys", MOST_KEYS)
    if not keys:
        raise asked.invalid("keys must name at least one ledger key")
    found = [_entry(view, key) for key in keys]
    return {"entries": [each for each in found if each is not None], "latestLedger": view.sequence}


def _entry(view: View, text: str) -> Json | None:
    key = _key(text)
    entry = view.get(key)
    if entry is None or (entry.live_until is not None and entry.live_until < view.sequence):
        return None
    told: Json = {"key": text, "xdr": _text(entry.data), "lastModifiedLedgerSeq": entry.modified, "extXdr": "AAAAAA=="}
    if entry.live_until is not None:
        told["liveUntilLedgerSeq"] = entry.live_until
    return told


def _key(text: str) -> bytes:
    try:
        raw = base64.b64decode(text, validate=True)
        key = xdr.LedgerKey.from_xdr_bytes(raw)
    except (binascii.Error, ValueError, TypeError, EOFError) as error:
        raise asked.invalid(f"cannot unmarshal key value {text[:80]}") from error
    if key.type in _HIDDEN:
        raise asked.invalid("ledger ttl entries cannot be queried directly")
    if key.to_xdr_bytes() != raw:
        raise asked.invalid(f"key value {text[:80]} has bytes after its end")
    return raw


def _text(raw: bytes) -> str:
    return base64.b64encode(raw).decode()
