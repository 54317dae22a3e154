"""Whether a transaction may enter a ledger: core's checks in core's order, each with its own result code."""

from __future__ import annotations

from dataclasses import dataclass

from stellar_sdk import LedgerBounds, NoneMemo, TimeBounds, xdr
from stellar_sdk.operation import Operation
from stellar_sdk.preconditions import Preconditions

from payments.sandbox import entries, resources, results
from payments.sandbox.balances import reserve
from payments.sandbox.operations import LEVELS, level_of
from payments.sandbox.results import Code
from payments.sandbox.signatures import LOW, Signatures
from payments.sandbox.state import State
from payments.sandbox.transactions import Submitted

_OP = xdr.OperationResultCode


@dataclass(frozen=True)
class Invalid:
    """`inner`: the fault is the inner transaction's of a fee bump."""

    code: xdr.TransactionResultCode
    operations: list[xdr.OperationResult] | None = None
    inner: bool = False

    def result(self, submitted: Submitted, fee_charged: int) -> xdr.TransactionResult:
        inner_hash = submitted.inner_hash if self.inner and submitted.is_fee_bump else None
        return results.transaction(self.code, fee_charged, self.operations, inner_hash=inner_hash)


def check(state: State, submitted: Submitted, close_time: int, *, fee_is_charged: bool = False) -> Invalid | None:
    """None when it may be applied in the ledger of `state` that closes at `close_time` (Unix seconds)."""
    return _check_fee(state, submitted, fee_is_charged=fee_is_charged) or _check_inner(state, submitted, close_time)


def _check_fee(state: State, submitted: Submitted, *, fee_is_charged: bool) -> Invalid | None:
    """What concerns who pays the fee. Of a fee bump, its own signatures too."""
    if submitted.inclusion_fee < submitted.least_inclusion_fee or not _bids_no_less(submitted):
        return Invalid(Code.txINSUFFICIENT_FEE)
    payer = state.account(entries.account_key(submitted.fee_source))
    if payer is None:
        return Invalid(Code.txNO_ACCOUNT)
    if submitted.is_fee_bump:
        signatures = Signatures(submitted.hash, submitted.signatures)
        if not signatures.reach(payer, LOW):
            return Invalid(Code.txBAD_AUTH)
        if not signatures.all_used():
            return Invalid(Code.txBAD_AUTH_EXTRA)
    if not fee_is_charged and payer.balance.int64 - reserve(payer) < submitted.fee:
        return Invalid(Code.txINSUFFICIENT_BALANCE)
    return None


def _bids_no_less(submitted: Submitted) -> bool:
    """A fee bump must bid at least the rate of what it carries."""
    if not submitted.is_fee_bump:
        return True
    inner = submitted.transaction
    count = max(len(inner.operations), 1)
    return submitted.inclusion_fee * count >= (inner.fee - submitted.resource_fee) * (count + 1)


def _check_inner(state: State, submitted: Submitted, close_time: int) -> Invalid | None:
    code = _shape(submitted) or _bounds(submitted.transaction.preconditions, state.ledger, close_time)
    if code is not None:
        return Invalid(code, inner=True)
    source = state.account(entries.account_key(submitted.source))
    if source is None:
        return Invalid(Code.txNO_ACCOUNT, inner=True)
    code = _sequence(source, submitted)
    if code is not None:
        return Invalid(code, inner=True)
    return _check_signatures(state, submitted, source)


def _shape(submitted: Submitted) -> xdr.TransactionResultCode | None:
    transaction = submitted.transaction
    if not transaction.operations:
        return Code.txMISSING_OPERATION
    if not submitted.is_soroban:
        return Code.txMALFORMED if transaction.soroban_data is not None else None
    if len(transaction.operations) != 1 or transaction.soroban_data is None:
        return Code.txSOROBAN_INVALID
    if not 0 <= submitted.resource_fee <= transaction.fee or not isinstance(transaction.memo, NoneMemo):
        return Code.txSOROBAN_INVALID
    least = resources.fixed_fee(transaction.soroban_data.resources, submitted.size)
    return Code.txSOROBAN_INVALID if submitted.resource_fee < least else None


def _bounds(preconditions: Preconditions | None, ledger: int, close_time: int) -> xdr.TransactionResultCode | None:
    if preconditions is None:
        return None
    time, ledgers = preconditions.time_bounds, preconditions.ledger_bounds
    if (time and close_time < time.min_time) or (ledgers and ledger < ledgers.min_ledger):
        return Code.txTOO_EARLY
    late = (time and _is_past(time, close_time)) or (ledgers and _is_past_ledger(ledgers, ledger))
    return Code.txTOO_LATE if late else None


def _is_past(bounds: TimeBounds, close_time: int) -> bool:
    return 0 < bounds.max_time < close_time


def _is_past_ledger(bounds: LedgerBounds, ledger: int) -> bool:
    return 0 < bounds.max_ledger <= ledger


def _sequence(source: xdr.AccountEntry, submitted: Submitted) -> xdr.TransactionResultCode | None:
    current, asked = source.seq_num.sequence_number.int64, submitted.transaction.sequence
    preconditions = submitted.transaction.preconditions
    least = preconditions.min_sequence_number if preconditions else None
    follows = asked == current + 1 if least is None else least <= current < asked
    if not follows:
        return Code.txBAD_SEQ
    if preconditions and (preconditions.min_sequence_age or preconditions.min_sequence_ledger_gap):
        return Code.txBAD_MIN_SEQ_AGE_OR_GAP
    return None


def _check_signatures(state: State, submitted: Submitted, source: xdr.AccountEntry) -> Invalid | None:
    signatures = Signatures(submitted.inner_hash, submitted.inner_signatures)
    preconditions = submitted.transaction.preconditions
    extra = list(preconditions.extra_signers or []) if preconditions else []
    if not signatures.reach(source, LOW) or not all(signatures.holds(key.to_xdr_object()) for key in extra):
        return Invalid(Code.txBAD_AUTH, inner=True)
    for operation in submitted.transaction.operations:
        refused = _operation(state, operation, submitted.source, signatures)
        if refused is not None:
            # Core tells one result an operation; those that it did not reach are told as if refused alike.
            return Invalid(Code.txFAILED, [refused] * len(submitted.transaction.operations), inner=True)
    return None if signatures.all_used() else Invalid(Code.txBAD_AUTH_EXTRA, inner=True)


def _operation(state: State, operation: Operation, source: str, signatures: Signatures) -> xdr.OperationResult | None:
    """What keeps one operation from being tried, or None."""
    if type(operation) not in LEVELS:
        return results.outer(_OP.opNOT_SUPPORTED)
    address = operation.source.account_id if operation.source else source
    account = state.account(entries.account_key(address))
    if account is None:
        return None if signatures.reach_key_alone(address) else results.outer(_OP.opBAD_AUTH)
    return None if signatures.reach(account, level_of(operation)) else results.outer(_OP.opBAD_AUTH)
