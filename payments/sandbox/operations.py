"""The operations that this ledger applies, and the threshold that each needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from stellar_sdk import xdr
from stellar_sdk.operation import (
    ChangeTrust,
    CreateAccount,
    InvokeHostFunction,
    Operation,
    Payment,
    SetOptions,
    SetTrustLineFlags,
)

from payments.sandbox import invocation, options, paying, trusting
from payments.sandbox.signatures import HIGH, LOW, MEDIUM
from payments.sandbox.work import Work

LEVELS: Mapping[type[Operation], int] = {
    CreateAccount: MEDIUM,
    Payment: MEDIUM,
    ChangeTrust: MEDIUM,
    SetOptions: MEDIUM,
    SetTrustLineFlags: LOW,
    InvokeHostFunction: MEDIUM,
}
_APPLY: Mapping[type[Operation], Callable[[Work, Any], xdr.OperationResult]] = {
    CreateAccount: paying.create_account,
    Payment: paying.payment,
    ChangeTrust: trusting.change_trust,
    SetOptions: options.set_options,
    SetTrustLineFlags: trusting.set_flags,
    InvokeHostFunction: invocation.invoke,
}


def level_of(operation: Operation) -> int:
    if isinstance(operation, SetOptions) and options.touches_signers(operation):
        return HIGH
    return LEVELS[type(operation)]


def apply(work: Work, operation: Operation) -> xdr.OperationResult:
    """Try one operation in `work.state`, whose changes count only when the result says success."""
    return _APPLY[type(operation)](work, operation)


def succeeded(result: xdr.OperationResult) -> bool:
    """Every kind of result has its own code, and 0 is success in all of them."""
    if result.tr is None:
        return False
    inner = next(value for name, value in vars(result.tr).items() if name != "type" and value is not None)
    return bool(inner.code.value == 0)
