"""One transaction in a ledger: its fee, its sequence number, its operations, the refund, and the meta that tells it."""

from __future__ import annotations

from dataclasses import dataclass, field

from stellar_sdk import Asset, xdr
from stellar_sdk.operation import Operation

from payments.sandbox import entries, events, operations, resources, results, validation
from payments.sandbox.entries import NONE
from payments.sandbox.network import Network
from payments.sandbox.presence import present
from payments.sandbox.results import Code
from payments.sandbox.state import State, changes_xdr
from payments.sandbox.transactions import Submitted
from payments.sandbox.work import Work

Stage = xdr.TransactionEventStage
NOTHING = xdr.LedgerEntryChanges([])


@dataclass
class Applied:
    """A transaction on its way through a ledger. `charged` and `refund` are stroops."""

    submitted: Submitted
    charged: int = 0
    refund: int = 0
    refundable_used: int = 0
    code: xdr.TransactionResultCode = Code.txSUCCESS
    invalid: validation.Invalid | None = None
    results: list[xdr.OperationResult] = field(default_factory=list)
    work: list[Work] = field(default_factory=list)
    fee_changes: xdr.LedgerEntryChanges = field(default_factory=lambda: NOTHING)
    before: xdr.LedgerEntryChanges = field(default_factory=lambda: NOTHING)
    operation_changes: list[xdr.LedgerEntryChanges] = field(default_factory=list)
    refund_changes: xdr.LedgerEntryChanges = field(default_factory=lambda: NOTHING)

    @property
    def succeeded(self) -> bool:
        return self.code is Code.txSUCCESS

    @property
    def result(self) -> xdr.TransactionResult:
        paid = self.charged - self.refund
        if self.invalid is not None:
            return self.invalid.result(self.submitted, paid)
        inner_hash = self.submitted.inner_hash if self.submitted.is_fee_bump else None
        return results.transaction(self.code, paid, self.results, inner_hash=inner_hash)


def charge(state: State, submitted: Submitted) -> Applied:
    """Take the fee: the declared resource fee and the least inclusion fee, since nothing surges here."""
    layer, key = state.layer(), entries.account_key(submitted.fee_source)
    account = layer.account(key)
    if account is None:
        return Applied(submitted)
    due = submitted.resource_fee + min(submitted.inclusion_fee, submitted.least_inclusion_fee)
    fee = min(due, account.balance.int64)
    account.balance = xdr.Int64(account.balance.int64 - fee)
    layer.put_account(key, account)
    changes = changes_xdr(layer)
    layer.keep()
    return Applied(submitted, charged=fee, fee_changes=changes)


def apply(state: State, applied: Applied, network: Network, close_time: int, *, fail_transfers: bool) -> None:
    """Validate again, count the sequence number, and run the operations: all of them or none."""
    applied.invalid = validation.check(state, applied.submitted, close_time, fee_is_charged=True)
    if applied.invalid is not None:
        applied.code = applied.invalid.code
        return
    applied.before = _count_sequence(state, applied.submitted)
    body = state.layer()
    for operation in applied.submitted.transaction.operations:
        layer = body.layer()
        work = _work(layer, applied.submitted, network, operation)
        work.fail_transfers = fail_transfers
        result = _try(work, operation)
        applied.results.append(result)
        applied.work.append(work)
        applied.operation_changes.append(changes_xdr(layer))
        if operations.succeeded(result):
            layer.keep()
        else:
            applied.code = Code.txFAILED
    if applied.succeeded:
        body.keep()
        applied.refundable_used = sum(work.refundable_used for work in applied.work)


def _try(work: Work, operation: Operation) -> xdr.OperationResult:
    if work.state.get(entries.account_key(work.source)) is None:
        return results.outer(xdr.OperationResultCode.opNO_ACCOUNT)
    return operations.apply(work, operation)


def _work(state: State, submitted: Submitted, network: Network, operation: Operation) -> Work:
    data = submitted.transaction.soroban_data
    room = 0 if data is None else submitted.resource_fee - resources.fixed_fee(data.resources, submitted.size)
    memo = submitted.transaction.memo
    source = operation.source.account_id if operation.source else submitted.source
    return Work(state, network, source, memo, soroban=data, refundable=room)


def _count_sequence(state: State, submitted: Submitted) -> xdr.LedgerEntryChanges:
    layer, key = state.layer(), entries.account_key(submitted.source)
    account = present(layer.account(key))
    account.seq_num = xdr.SequenceNumber(xdr.Int64(submitted.transaction.sequence))
    layer.put_account(key, account)
    changes = changes_xdr(layer)
    layer.keep()
    return changes


def give_back(state: State, applied: Applied) -> None:
    """What was not used of the refundable resource fee goes back to who paid it, after all transactions."""
    submitted, data = applied.submitted, applied.submitted.transaction.soroban_data
    if data is None or not applied.charged:
        return
    spent = resources.fixed_fee(data.resources, submitted.size) + applied.refundable_used
    applied.refund = max(submitted.resource_fee - spent, 0)
    layer, key = state.layer(), entries.account_key(submitted.fee_source)
    account = layer.account(key)
    if account is None or not applied.refund:
        return
    account.balance = xdr.Int64(account.balance.int64 + applied.refund)
    layer.put_account(key, account)
    applied.refund_changes = changes_xdr(layer)
    layer.keep()


def fee_events(applied: Applied, passphrase: str) -> list[xdr.TransactionEvent]:
    native, payer = Asset.native().contract_id(passphrase), applied.submitted.fee_source
    told = [
        xdr.TransactionEvent(Stage.TRANSACTION_EVENT_STAGE_BEFORE_ALL_TXS, events.fee(native, payer, applied.charged))
    ]
    if applied.refund:
        returned = events.fee(native, payer, -applied.refund)
        told.append(xdr.TransactionEvent(Stage.TRANSACTION_EVENT_STAGE_AFTER_ALL_TXS, returned))
    return told


def meta(applied: Applied, passphrase: str) -> xdr.TransactionMeta:
    """Version 4. A transaction that failed changed nothing but fee and sequence number, and tells why."""
    told: list[xdr.OperationMetaV2] = []
    if applied.succeeded:
        pairs = zip(applied.operation_changes, applied.work, strict=True)
        told = [xdr.OperationMetaV2(NONE, changes, work.emitted) for changes, work in pairs]
    outcomes = [work.outcome for work in applied.work if work.outcome is not None]
    v4 = xdr.TransactionMetaV4(
        ext=NONE,
        tx_changes_before=applied.before,
        operations=told,
        tx_changes_after=NOTHING,
        soroban_meta=_soroban_meta(applied) if outcomes else None,
        events=fee_events(applied, passphrase),
        diagnostic_events=[event for outcome in outcomes for event in outcome.diagnostics],
    )
    return xdr.TransactionMeta(4, v4=v4)


def _soroban_meta(applied: Applied) -> xdr.SorobanTransactionMetaV2:
    used = applied.refundable_used
    rent = min(used, resources.RENT)
    fees = xdr.SorobanTransactionMetaExtV1(
        NONE, xdr.Int64(applied.submitted.resource_fee - applied.refund - used), xdr.Int64(used), xdr.Int64(rent)
    )
    outcome = applied.work[0].outcome
    value = outcome.value if outcome is not None and applied.succeeded else None
    return xdr.SorobanTransactionMetaV2(xdr.SorobanTransactionMetaExt(1, v1=fees), value)
