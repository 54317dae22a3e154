"""simulateTransaction: recording what a call needs, or enforcing what was signed, as if in the next ledger."""

from __future__ import annotations

from typing import Any

from stellar_sdk import xdr
from stellar_sdk.operation import InvokeHostFunction

from payments.sandbox import host, resources
from payments.sandbox.authorisation import Authorisations, Enforced, Recorded
from payments.sandbox.host import Outcome
from payments.sandbox.invocation import new_temporary_entries
from payments.sandbox.network import Network
from payments.sandbox.node import View
from payments.sandbox.presence import present
from payments.sandbox.rpc import parameters as asked
from payments.sandbox.rpc.parameters import Json
from payments.sandbox.rpc.sending import submitted
from payments.sandbox.state import Change, State
from payments.sandbox.transactions import Submitted

MODES = ("", "enforce", "record", "record_allow_nonroot")
_KINDS = {(True, False): "deleted", (False, True): "created", (True, True): "updated"}


def simulate(view: View, parameters: Json) -> Json:
    transaction = submitted(view, parameters)
    mode = parameters.get("authMode") or ""
    if mode not in MODES:
        raise asked.invalid(f"authMode must be one of {', '.join(filter(None, MODES))}")
    upgraded = asked.flag(parameters, "useUpgradedAuth")
    operations = transaction.transaction.operations
    if len(operations) != 1 or not isinstance(operations[0], InvokeHostFunction):
        return _refused(view, "Transaction contains more than one operation, or one that is no contract call")
    operation = operations[0]
    if operation.auth and mode.startswith("record"):
        return _refused(view, "authMode must be unset or 'enforce' when the operation has authorizations")
    source = operation.source.account_id if operation.source else transaction.source
    enforced = bool(operation.auth) or mode == "enforce"
    authorisations = _authorisations(view.node.network, source, operation, enforced=enforced, upgraded=upgraded)
    state = State(view, view.sequence + 1)
    outcome = host.run(state, operation.host_function, authorisations)
    if outcome.value is None:
        return {**_refused(view, outcome.error_text), "events": _diagnostics(outcome)}
    return _answer(view, transaction, outcome, authorisations)


def _authorisations(
    network: Network, source: str, operation: InvokeHostFunction, *, enforced: bool, upgraded: bool
) -> Authorisations:
    if enforced:
        return Enforced(network, source, list(operation.auth))
    return Recorded(network, source, bound_to_address=upgraded)


def _refused(view: View, error: str) -> Json:
    return {"error": error, "latestLedger": view.sequence}


def _answer(view: View, transaction: Submitted, outcome: Outcome, authorisations: Authorisations) -> Json:
    data, fee = _needs(transaction, outcome)
    recorded = authorisations.asked if isinstance(authorisations, Recorded) else []
    return {
        "transactionData": data.to_xdr(),
        "minResourceFee": str(fee),
        "events": _diagnostics(outcome),
        "results": [{"auth": [entry.to_xdr() for entry in recorded], "xdr": present(outcome.value).to_xdr()}],
        "stateChanges": [_change(change) for change in outcome.state.changes()],
        "latestLedger": view.sequence,
    }


def _needs(transaction: Submitted, outcome: Outcome) -> tuple[xdr.SorobanTransactionData, int]:
    state = outcome.state
    changes = {change.key: change for change in state.changes()}
    sizes = {key: len(entry.data) for key in state.touched if (entry := state.get(key)) is not None}
    reads = [key for key in state.touched if key not in changes]
    needed = resources.needed(reads, list(changes), sizes)
    cost = resources.simulated(needed, _size(transaction, needed), outcome.event_bytes, new_temporary_entries(state))
    extension = xdr.SorobanTransactionDataExt(0)
    return xdr.SorobanTransactionData(extension, needed, xdr.Int64(cost.total)), cost.total


def _size(transaction: Submitted, needed: xdr.SorobanResources) -> int:
    """Bytes of the envelope to come, as the network estimates them: whatever this one has around the operation."""
    operation = transaction.transaction.operations[0].to_xdr_object()
    return len(operation.to_xdr_bytes()) + len(needed.to_xdr_bytes()) + resources.FRAME_BYTES


def _diagnostics(outcome: Outcome) -> list[str]:
    return [event.to_xdr() for event in outcome.diagnostics]


def _change(change: Change) -> Json:
    key = xdr.LedgerKey.from_xdr_bytes(change.key).to_xdr()
    told: dict[str, Any] = {"type": _KINDS[change.before is not None, change.after is not None], "key": key}
    told["before"] = None if change.before is None else change.before.whole().to_xdr()
    told["after"] = None if change.after is None else change.after.whole().to_xdr()
    return told
