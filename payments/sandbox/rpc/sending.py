"""sendTransaction, getTransaction, getTransactions."""

from __future__ import annotations

import base64
import re

from stellar_sdk import xdr

from payments.sandbox.node import Sent, View
from payments.sandbox.places import Place, of_toid
from payments.sandbox.presence import present
from payments.sandbox.records import TransactionRow
from payments.sandbox.rpc import parameters as asked
from payments.sandbox.rpc.parameters import Json
from payments.sandbox.transactions import Submitted, Unreadable

_HASH = re.compile(r"[0-9a-f]{64}")


def submitted(view: View, parameters: Json) -> Submitted:
    asked.plain(parameters)
    try:
        return view.node.read(asked.text(parameters, "transaction"))
    except Unreadable as error:
        raise asked.invalid(f"invalid_xdr: {error}") from error


def send(view: View, parameters: Json) -> Json:
    transaction = submitted(view, parameters)
    busy = view.node.faults.take("busy")
    sent = Sent("TRY_AGAIN_LATER", transaction.hash) if busy else view.node.send(transaction)
    told: Json = {
        "status": sent.status,
        "hash": sent.hash.hex(),
        "latestLedger": view.sequence,
        "latestLedgerCloseTime": str(view.close_time),
    }
    if sent.error is not None:
        told["errorResultXdr"] = sent.error.to_xdr()
    return told


def one(view: View, parameters: Json) -> Json:
    """By the outer or the inner hash of a fee bump."""
    asked.plain(parameters)
    wanted = asked.text(parameters, "hash")
    if not _HASH.fullmatch(wanted):
        raise asked.invalid(f"unexpected hash length ({len(wanted)}) or digits: 64 hexadecimal digits are expected")
    row = view.store.transaction(bytes.fromhex(wanted), view.sequence)
    oldest = view.oldest
    told: Json = {
        "status": "NOT_FOUND",
        "txHash": wanted,
        "latestLedger": view.sequence,
        "latestLedgerCloseTime": str(view.close_time),
        "oldestLedger": oldest.sequence,
        "oldestLedgerCloseTime": str(oldest.close_time),
    }
    if row is None:
        return told
    return {**told, **_told(view, row), "txHash": wanted, "createdAt": str(_close_time(view, row.ledger))}


def several(view: View, parameters: Json) -> Json:
    asked.plain(parameters)
    cursor, limit = asked.page(parameters, default=50, most=200)
    oldest = view.oldest
    if cursor is None:
        start = asked.number(parameters, "startLedger")
        after = Place(asked.start_within(start, oldest.sequence, view.sequence))
    elif cursor.isdecimal() and len(cursor) <= 19:
        after = of_toid(int(cursor))
    else:
        raise asked.invalid("cursor must be the place of a transaction")
    rows = view.store.transactions(after, view.sequence, limit)
    last = Place(rows[-1].ledger, rows[-1].position, 1) if rows else after
    return {
        "transactions": [{**_told(view, row), "createdAt": _close_time(view, row.ledger)} for row in rows],
        "cursor": str(last.toid),
        "latestLedger": view.sequence,
        "latestLedgerCloseTimestamp": view.close_time,
        "oldestLedger": oldest.sequence,
        "oldestLedgerCloseTimestamp": oldest.close_time,
    }


def _close_time(view: View, ledger: int) -> int:
    return view.store.ledgers(ledger, ledger, 1)[0].close_time


def _told(view: View, row: TransactionRow) -> Json:
    v4 = present(xdr.TransactionMeta.from_xdr_bytes(row.meta).v4)
    told: Json = {
        "status": "SUCCESS" if row.succeeded else "FAILED",
        "txHash": row.hash.hex(),
        "applicationOrder": row.position,
        "feeBump": row.fee_bump,
        "envelopeXdr": _text(row.envelope),
        "resultXdr": _text(row.result),
        "resultMetaXdr": _text(row.meta),
        "ledger": row.ledger,
        "events": {
            "transactionEventsXdr": [event.to_xdr() for event in v4.events],
            "contractEventsXdr": [[event.to_xdr() for event in each.events] for each in v4.operations],
        },
    }
    if v4.diagnostic_events:
        told["diagnosticEventsXdr"] = [event.to_xdr() for event in v4.diagnostic_events]
    return told


def _text(raw: bytes) -> str:
    return base64.b64encode(raw).decode()
