"""Results of transactions and operations, as XDR."""

from __future__ import annotations

from stellar_sdk import xdr

Code = xdr.TransactionResultCode
_OP = xdr.OperationType
WITH_OPERATIONS = (Code.txSUCCESS, Code.txFAILED)


def outer(code: xdr.OperationResultCode) -> xdr.OperationResult:
    """An operation that was not tried: bad signatures, no account, not supported."""
    return xdr.OperationResult(code)


def create_account(code: xdr.CreateAccountResultCode) -> xdr.OperationResult:
    return _tried(xdr.OperationResultTr(_OP.CREATE_ACCOUNT, create_account_result=xdr.CreateAccountResult(code)))


def payment(code: xdr.PaymentResultCode) -> xdr.OperationResult:
    return _tried(xdr.OperationResultTr(_OP.PAYMENT, payment_result=xdr.PaymentResult(code)))


def change_trust(code: xdr.ChangeTrustResultCode) -> xdr.OperationResult:
    return _tried(xdr.OperationResultTr(_OP.CHANGE_TRUST, change_trust_result=xdr.ChangeTrustResult(code)))


def set_options(code: xdr.SetOptionsResultCode) -> xdr.OperationResult:
    return _tried(xdr.OperationResultTr(_OP.SET_OPTIONS, set_options_result=xdr.SetOptionsResult(code)))


def set_flags(code: xdr.SetTrustLineFlagsResultCode) -> xdr.OperationResult:
    result = xdr.SetTrustLineFlagsResult(code)
    return _tried(xdr.OperationResultTr(_OP.SET_TRUST_LINE_FLAGS, set_trust_line_flags_result=result))


def invoke(code: xdr.InvokeHostFunctionResultCode, success: bytes | None = None) -> xdr.OperationResult:
    """`success` is SHA-256 of the returned value and the events."""
    result = xdr.InvokeHostFunctionResult(code, None if success is None else xdr.Hash(success))
    return _tried(xdr.OperationResultTr(_OP.INVOKE_HOST_FUNCTION, invoke_host_function_result=result))


def _tried(result: xdr.OperationResultTr) -> xdr.OperationResult:
    return xdr.OperationResult(xdr.OperationResultCode.opINNER, result)


def transaction(
    code: xdr.TransactionResultCode,
    fee_charged: int,
    operations: list[xdr.OperationResult] | None = None,
    *,
    inner_hash: bytes | None = None,
) -> xdr.TransactionResult:
    """The result of a transaction; `inner_hash` is given for a fee bump, whose code is then its inner one's."""
    told = (operations or []) if code in WITH_OPERATIONS else None
    if inner_hash is None:
        result = xdr.TransactionResultResult(code, results=told)
    else:
        bumped = Code.txFEE_BUMP_INNER_SUCCESS if code is Code.txSUCCESS else Code.txFEE_BUMP_INNER_FAILED
        inner = xdr.InnerTransactionResult(
            xdr.Int64(0), xdr.InnerTransactionResultResult(code, results=told), xdr.InnerTransactionResultExt(0)
        )
        result = xdr.TransactionResultResult(bumped, xdr.InnerTransactionResultPair(xdr.Hash(inner_hash), inner))
    return xdr.TransactionResult(xdr.Int64(fee_charged), result, xdr.TransactionResultExt(0))
