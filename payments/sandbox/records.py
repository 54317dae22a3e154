"""A closed ledger as rows: what is stored of its transactions and events, so that reading it needs no replay."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from stellar_sdk import Address, xdr

from payments.sandbox import applying
from payments.sandbox.applying import Applied, Stage
from payments.sandbox.closing import Closed
from payments.sandbox.network import Network
from payments.sandbox.places import MOST_OPERATIONS, MOST_TRANSACTIONS, Place
from payments.sandbox.presence import present


@dataclass(frozen=True)
class LedgerRow:
    sequence: int
    hash: bytes
    close_time: int
    header: bytes
    meta: bytes
    fee_pool: int
    state_hash: bytes


@dataclass(frozen=True)
class TransactionRow:
    """`inclusion_fee` is stroops an operation, charged."""

    hash: bytes
    inner_hash: bytes
    ledger: int
    position: int
    succeeded: bool
    fee_bump: bool
    soroban: bool
    inclusion_fee: int
    envelope: bytes
    result: bytes
    meta: bytes


@dataclass(frozen=True)
class EventRow:
    """`topics` is a JSON list of base64 values, `value` one; `transaction_hash` is 32 bytes."""

    place: Place
    kind: str
    contract: str
    topics: str
    value: str
    position: int
    operation: int
    transaction_hash: bytes


def ledger_row(closed: Closed) -> LedgerRow:
    now = closed.previous
    header, meta = closed.header.to_xdr_bytes(), closed.meta.to_xdr_bytes()
    return LedgerRow(now.sequence, now.hash, now.close_time, header, meta, now.fee_pool, now.state_hash)


def transaction_rows(closed: Closed) -> Iterator[TransactionRow]:
    pairs = zip(closed.applied, present(closed.meta.v2).tx_processing, strict=True)
    for position, (applied, processed) in enumerate(pairs, start=1):
        submitted = applied.submitted
        yield TransactionRow(
            hash=submitted.hash,
            inner_hash=submitted.inner_hash,
            ledger=closed.previous.sequence,
            position=position,
            succeeded=applied.succeeded,
            fee_bump=submitted.is_fee_bump,
            soroban=submitted.is_soroban,
            inclusion_fee=max(applied.charged - submitted.resource_fee, 0) // max(submitted.paid_operations, 1),
            envelope=submitted.envelope.to_xdr_bytes(),
            result=processed.result.result.to_xdr_bytes(),
            meta=processed.tx_apply_processing.to_xdr_bytes(),
        )


def event_rows(closed: Closed, network: Network) -> Iterator[EventRow]:
    """Fees come before all transactions, refunds after them, and what operations emitted in between."""
    ledger = closed.previous.sequence
    for position, applied in enumerate(closed.applied, start=1):
        for number, told in enumerate(applying.fee_events(applied, network.passphrase)):
            early = told.stage is Stage.TRANSACTION_EVENT_STAGE_BEFORE_ALL_TXS
            place = (
                Place(ledger, 0, 0, position - 1)
                if early
                else Place(ledger, MOST_TRANSACTIONS, MOST_OPERATIONS, position * 2 + number)
            )
            yield _row(place, told.event, applied, position, 0)
        if applied.succeeded:
            yield from _operations(ledger, position, applied)


def _operations(ledger: int, position: int, applied: Applied) -> Iterator[EventRow]:
    for operation, work in enumerate(applied.work):
        for number, event in enumerate(work.emitted):
            yield _row(Place(ledger, position, operation, number), event, applied, position, operation)


def _row(place: Place, event: xdr.ContractEvent, applied: Applied, position: int, operation: int) -> EventRow:
    body = present(event.body.v0)
    contract = Address.from_raw_contract(present(event.contract_id).contract_id.hash).address
    topics = json.dumps([topic.to_xdr() for topic in body.topics])
    value = body.data.to_xdr()
    return EventRow(place, "contract", contract, topics, value, position, operation, applied.submitted.hash)
