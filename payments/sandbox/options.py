"""set_options: thresholds, signers, flags and home domain of an account."""

from __future__ import annotations

from stellar_sdk import xdr
from stellar_sdk.operation import SetOptions
from stellar_sdk.signer import Signer

from payments.sandbox import entries, results
from payments.sandbox.balances import reserve
from payments.sandbox.network import BASE_RESERVE
from payments.sandbox.presence import present
from payments.sandbox.work import Work

Code = xdr.SetOptionsResultCode
MOST_SIGNERS = 20


def touches_signers(operation: SetOptions) -> bool:
    """Whether it needs the high threshold."""
    numbers = (operation.master_weight, operation.low_threshold, operation.med_threshold, operation.high_threshold)
    return operation.signer is not None or any(number is not None for number in numbers)


def set_options(work: Work, operation: SetOptions) -> xdr.OperationResult:
    key = entries.account_key(work.source)
    account = present(work.state.account(key))
    code = _thresholds(account, operation)
    if code is Code.SET_OPTIONS_SUCCESS and operation.signer is not None:
        code = _signer(account, operation.signer)
    if code is Code.SET_OPTIONS_SUCCESS:
        flags = (account.flags.uint32 & ~int(operation.clear_flags or 0)) | int(operation.set_flags or 0)
        account.flags = xdr.Uint32(flags)
        if operation.home_domain is not None:
            account.home_domain = xdr.String32(operation.home_domain.encode())
        work.state.put_account(key, account)
    return results.set_options(code)


def _thresholds(account: xdr.AccountEntry, operation: SetOptions) -> Code:
    asked = (operation.master_weight, operation.low_threshold, operation.med_threshold, operation.high_threshold)
    if any(number is not None and not 0 <= number <= 255 for number in asked):
        return Code.SET_OPTIONS_THRESHOLD_OUT_OF_RANGE
    now = account.thresholds.thresholds
    chosen = bytes(old if new is None else new for old, new in zip(now, asked, strict=True))
    account.thresholds = xdr.Thresholds(chosen)
    return Code.SET_OPTIONS_SUCCESS


def _signer(account: xdr.AccountEntry, signer: Signer) -> Code:
    key = signer.signer_key.to_xdr_object()
    if key.ed25519 is not None and key.ed25519 == account.account_id.account_id.ed25519:
        return Code.SET_OPTIONS_BAD_SIGNER
    if not 0 <= signer.weight <= 255:
        return Code.SET_OPTIONS_BAD_SIGNER
    others = [each for each in account.signers if each.key != key]
    was_there = len(others) < len(account.signers)
    if signer.weight:
        if not was_there and len(others) >= MOST_SIGNERS:
            return Code.SET_OPTIONS_TOO_MANY_SIGNERS
        if not was_there and account.balance.int64 < reserve(account) + BASE_RESERVE:
            return Code.SET_OPTIONS_LOW_RESERVE
        others.append(xdr.Signer(key, xdr.Uint32(signer.weight)))
    account.signers = sorted(others, key=lambda each: each.key.to_xdr_bytes())
    more = bool(signer.weight) - was_there
    account.num_sub_entries = xdr.Uint32(account.num_sub_entries.uint32 + more)
    return Code.SET_OPTIONS_SUCCESS
