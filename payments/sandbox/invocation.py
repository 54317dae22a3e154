"""A contract call of a transaction: within its footprint, with its authorisations, paid from its refundable fee."""

from __future__ import annotations

from hashlib import sha256

from stellar_sdk import xdr
from stellar_sdk.operation import InvokeHostFunction

from payments.sandbox import events, host, resources, results
from payments.sandbox.authorisation import Enforced
from payments.sandbox.errors import AssetError, ContractFailed
from payments.sandbox.host import Footprinted, Outcome
from payments.sandbox.presence import present
from payments.sandbox.state import State
from payments.sandbox.work import Work

Code = xdr.InvokeHostFunctionResultCode


def invoke(work: Work, operation: InvokeHostFunction) -> xdr.OperationResult:
    footprint = present(work.soroban).resources.footprint
    layer = Footprinted(work.state, work.state.ledger, footprint)
    outcome = host.run(layer, operation.host_function, Enforced(work.network, work.source, operation.auth))
    work.outcome = outcome
    if work.fail_transfers and outcome.error is None:
        _fail(outcome)
    if outcome.error is not None or outcome.value is None:
        return results.invoke(Code.INVOKE_HOST_FUNCTION_TRAPPED)
    used = resources.refundable_fee(outcome.event_bytes, new_temporary_entries(layer))
    if used > work.refundable:
        return results.invoke(Code.INVOKE_HOST_FUNCTION_INSUFFICIENT_REFUNDABLE_FEE)
    layer.keep()
    work.refundable_used = used
    work.emitted.extend(outcome.emitted)
    image = xdr.InvokeHostFunctionSuccessPreImage(outcome.value, outcome.emitted)
    return results.invoke(Code.INVOKE_HOST_FUNCTION_SUCCESS, sha256(image.to_xdr_bytes()).digest())


def _fail(outcome: Outcome) -> None:
    """The scripted fault: what passed simulation fails on chain, as if the balance had gone meanwhile."""
    outcome.error = ContractFailed(AssetError.BALANCE, "a scripted fault made this transfer fail")
    outcome.value = None
    outcome.emitted.clear()
    outcome.diagnostics = [events.diagnosed(events.failed(None, outcome.error), successful=False)]


def new_temporary_entries(layer: State) -> int:
    return sum(
        change.before is None and change.after is not None and change.after.live_until is not None
        for change in layer.changes()
    )
