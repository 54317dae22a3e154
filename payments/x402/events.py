"""What a simulation's events say: exactly one event of a contract, the transfer that was asked for (reference: 4.5).

Diagnostic and system events tell nothing about balances and are passed over. The one event that a classic asset's
contract emits is compared byte for byte; anything else is read anew to say what is wrong with it.
"""

from __future__ import annotations

import base64
import binascii
import struct
from collections.abc import Sequence
from dataclasses import dataclass

from stellar_sdk import Address, xdr

from lensproject.core.stellar.faults import NodeGarbage
from lensproject.core.stellar.strkeys import contract_address, raw_contract
from payments.x402 import reasons
from payments.x402.ledger_keys import address_bytes
from payments.x402.optional import given
from payments.x402.reasons import Refused

_CONTRACT = 1
_STRING = 14
_TRANSFER = struct.pack(">iI8s", 15, 8, b"transfer")


@dataclass(frozen=True)
class Expected:
    """The transfer that a payment stands for."""

    asset: str
    payer: str
    pay_to: str
    units: int


def check_events(events: Sequence[str], expected: Expected) -> None:
    """Raises Refused with the payer when the events are not the one transfer, NodeGarbage when they are no events."""
    raw = [event for event in map(_decoded, events) if _kind(event) == _CONTRACT]
    if len(raw) == 1 and is_exactly(raw[0], expected):
        return
    reason = what_is_wrong([_read(event) for event in raw], expected)
    if reason is not None:
        raise Refused(reason, "the simulation's events are not the one transfer", payer=expected.payer)


def is_exactly(event: bytes, expected: Expected) -> bool:
    """Whether these are the bytes of the expected transfer, with or without the asset's name as a fourth topic."""
    address = struct.pack(">i", 18)
    head = struct.pack(">iii", 1, 0, 1) + raw_contract(expected.asset) + struct.pack(">ii", _CONTRACT, 0)
    topics = _TRANSFER + address + address_bytes(expected.payer) + address + address_bytes(expected.pay_to)
    amount = struct.pack(">iqQ", 10, expected.units >> 64, expected.units & (2**64 - 1))
    if event == head + struct.pack(">I", 3) + topics + amount:
        return True
    start = head + struct.pack(">I", 4) + topics
    return event.startswith(start) and event.endswith(amount) and _is_text(event[len(start) : -len(amount)])


def what_is_wrong(events: Sequence[xdr.DiagnosticEvent], expected: Expected) -> str | None:
    """The reason why these contract events are not the one transfer, None when they are."""
    if not events:
        return reasons.NO_TRANSFER_EVENTS
    transfers = [event for event in events if _is_transfer(event)]
    if len(transfers) > 1:
        return reasons.MULTIPLE_TRANSFERS
    if len(events) != len(transfers):
        return reasons.EVENT_NOT_TRANSFER
    return _wrong_transfer(transfers[0].event, expected)


def contract_error(events: Sequence[str], asset: str) -> int | None:
    """The number with which the asset's contract failed, from the error value in the diagnostic events, never from a
    text.
    """
    for event in map(_read, map(_decoded, events)):
        body, contract = event.event.body.v0, event.event.contract_id
        if body is None or contract is None or contract_address(contract.contract_id.hash) != asset:
            continue
        topics = body.topics
        if len(topics) == 2 and topics[0].sym is not None and topics[0].sym.sc_symbol == b"error" and topics[1].error:
            code = topics[1].error.contract_code
            if code is not None:
                return code.uint32
    return None


def _is_transfer(event: xdr.DiagnosticEvent) -> bool:
    """Of a call that was not rolled back, with the topics of a transfer."""
    body = event.event.body.v0
    if body is None or not event.in_successful_contract_call or len(body.topics) not in (3, 4):
        return False
    name, from_, to = body.topics[:3]
    return name.sym is not None and name.sym.sc_symbol == b"transfer" and bool(from_.address and to.address)


def _wrong_transfer(event: xdr.ContractEvent, expected: Expected) -> str | None:
    if event.contract_id is None:
        return reasons.EVENT_MISSING_CONTRACT
    if contract_address(event.contract_id.contract_id.hash) != expected.asset:
        return reasons.EVENT_WRONG_ASSET
    body = given(event.body.v0)
    if _address(body.topics[1]) != expected.payer:
        return reasons.EVENT_WRONG_FROM
    if _address(body.topics[2]) != expected.pay_to:
        return reasons.EVENT_WRONG_TO
    amount = body.data.i128
    if amount is None or (amount.hi.int64 << 64) | amount.lo.uint64 != expected.units:
        return reasons.EVENT_WRONG_AMOUNT
    return None


def _address(value: xdr.SCVal) -> str:
    return Address.from_xdr_sc_address(given(value.address)).address


def _decoded(event: str) -> bytes:
    try:
        return base64.b64decode(event, validate=True)
    except (binascii.Error, ValueError):
        raise NodeGarbage("simulateTransaction: an event is not base64") from None


def _kind(event: bytes) -> int:
    """The event's type: after the mark of success, the extension and the contract's id, if it has one."""
    try:
        at = 44 if struct.unpack_from(">I", event, 8)[0] else 12
        return int(struct.unpack_from(">i", event, at)[0])
    except struct.error:
        raise NodeGarbage("simulateTransaction: an event is no event") from None


def _read(event: bytes) -> xdr.DiagnosticEvent:
    try:
        return xdr.DiagnosticEvent.from_xdr_bytes(event)
    except Exception:  # The SDK's reader raises errors of many kinds on bytes that are no XDR.
        raise NodeGarbage("simulateTransaction: an event is no event") from None


def _is_text(raw: bytes) -> bool:
    if len(raw) < 8:
        return False
    kind, length = struct.unpack_from(">iI", raw)
    return bool(kind == _STRING and len(raw) == 8 + length + (-length % 4))
