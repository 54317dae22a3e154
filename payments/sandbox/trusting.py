"""Trustlines: made, limited and removed by their owner, authorised by the issuer."""

from __future__ import annotations

from stellar_sdk import Asset, xdr
from stellar_sdk.operation import ChangeTrust, SetTrustLineFlags

from payments.sandbox import entries, results
from payments.sandbox.balances import reserve
from payments.sandbox.network import BASE_RESERVE
from payments.sandbox.paying import stroops
from payments.sandbox.presence import present
from payments.sandbox.work import Work

Changed = xdr.ChangeTrustResultCode
Flagged = xdr.SetTrustLineFlagsResultCode
AUTH_REQUIRED = xdr.AccountFlags.AUTH_REQUIRED_FLAG.value
AUTH_REVOCABLE = xdr.AccountFlags.AUTH_REVOCABLE_FLAG.value


def change_trust(work: Work, operation: ChangeTrust) -> xdr.OperationResult:
    asset = operation.asset
    if not isinstance(asset, Asset) or asset.is_native():
        return results.change_trust(Changed.CHANGE_TRUST_MALFORMED)
    return results.change_trust(_change(work, asset, stroops(str(operation.limit))))


def _change(work: Work, asset: Asset, limit: int) -> Changed:
    if asset.issuer == work.source:
        return Changed.CHANGE_TRUST_SELF_NOT_ALLOWED
    key = entries.trustline_key(work.source, asset)
    line = work.state.trustline(key)
    if line is None:
        return _make(work, asset, key, limit)
    if limit < line.balance.int64:
        return Changed.CHANGE_TRUST_INVALID_LIMIT
    if limit == 0:
        work.state.delete(key)
        _count(work, -1)
        return Changed.CHANGE_TRUST_SUCCESS
    line.limit = xdr.Int64(limit)
    work.state.put_trustline(key, line)
    return Changed.CHANGE_TRUST_SUCCESS


def _make(work: Work, asset: Asset, key: bytes, limit: int) -> Changed:
    if limit == 0:
        return Changed.CHANGE_TRUST_INVALID_LIMIT
    issuer = work.state.account(entries.account_key(present(asset.issuer)))
    if issuer is None:
        return Changed.CHANGE_TRUST_NO_ISSUER
    if not _count(work, 1):
        return Changed.CHANGE_TRUST_LOW_RESERVE
    authorised = not issuer.flags.uint32 & AUTH_REQUIRED
    work.state.put(key, entries.new_trustline(work.source, asset, limit, authorised=authorised))
    return Changed.CHANGE_TRUST_SUCCESS


def _count(work: Work, more: int) -> bool:
    """One sub-entry more or less; False where the account cannot hold the reserve of one more."""
    key = entries.account_key(work.source)
    account = present(work.state.account(key))
    if more > 0 and account.balance.int64 < reserve(account) + BASE_RESERVE:
        return False
    account.num_sub_entries = xdr.Uint32(account.num_sub_entries.uint32 + more)
    work.state.put_account(key, account)
    return True


def set_flags(work: Work, operation: SetTrustLineFlags) -> xdr.OperationResult:
    return results.set_flags(_flag(work, operation))


def _flag(work: Work, operation: SetTrustLineFlags) -> Flagged:
    setting, clearing = int(operation.set_flags or 0), int(operation.clear_flags or 0)
    if operation.asset.issuer != work.source or setting & clearing:
        return Flagged.SET_TRUST_LINE_FLAGS_MALFORMED
    issuer = work.state.account(entries.account_key(work.source))
    if clearing and not (issuer and issuer.flags.uint32 & AUTH_REVOCABLE):
        return Flagged.SET_TRUST_LINE_FLAGS_CANT_REVOKE
    key = entries.trustline_key(operation.trustor, operation.asset)
    line = work.state.trustline(key)
    if line is None:
        return Flagged.SET_TRUST_LINE_FLAGS_NO_TRUST_LINE
    line.flags = xdr.Uint32((line.flags.uint32 & ~clearing) | setting)
    work.state.put_trustline(key, line)
    return Flagged.SET_TRUST_LINE_FLAGS_SUCCESS
