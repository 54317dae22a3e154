"""Classic money: new accounts and payments. They tell the same events as the asset's contract."""

from __future__ import annotations

from decimal import Decimal

from stellar_sdk import Asset, MuxedAccount, xdr
from stellar_sdk.operation import CreateAccount, Payment

from payments.sandbox import entries, events, results
from payments.sandbox.balances import MOST, reserve
from payments.sandbox.network import BASE_RESERVE
from payments.sandbox.work import Work

Created = xdr.CreateAccountResultCode
Paid = xdr.PaymentResultCode


def stroops(amount: str) -> int:
    """An amount as stellar-sdk writes it ("1.5", and "1E-7" for the smallest) as an integer of the smallest unit."""
    return int(Decimal(amount).scaleb(7))


def create_account(work: Work, operation: CreateAccount) -> xdr.OperationResult:
    return results.create_account(_create(work, operation.destination, stroops(operation.starting_balance)))


def _create(work: Work, destination: str, amount: int) -> Created:
    key = entries.account_key(destination)
    if work.state.get(key) is not None:
        return Created.CREATE_ACCOUNT_ALREADY_EXIST
    if amount < 2 * BASE_RESERVE:
        return Created.CREATE_ACCOUNT_LOW_RESERVE
    if not _take_native(work, work.source, amount):
        return Created.CREATE_ACCOUNT_UNDERFUNDED
    work.state.put(key, entries.new_account(destination, amount, work.state.ledger << 32))
    work.emit_movement(Asset.native(), work.source, destination, amount)
    return Created.CREATE_ACCOUNT_SUCCESS


def payment(work: Work, operation: Payment) -> xdr.OperationResult:
    amount, asset, destination = stroops(operation.amount), operation.asset, operation.destination
    code = _pay(work, asset, destination, amount)
    if code is Paid.PAYMENT_SUCCESS:
        muxed = events.muxed_id(destination, work.memo)
        work.emit_movement(asset, work.source, destination.account_id, amount, muxed)
    return results.payment(code)


def _pay(work: Work, asset: Asset, destination: MuxedAccount, amount: int) -> Paid:
    if amount <= 0 or amount > MOST:
        return Paid.PAYMENT_MALFORMED
    if work.state.get(entries.account_key(destination.account_id)) is None:
        return Paid.PAYMENT_NO_DESTINATION
    if asset.is_native():
        if not _take_native(work, work.source, amount):
            return Paid.PAYMENT_UNDERFUNDED
        return _give_native(work, destination.account_id, amount)
    code = _give(work, asset, destination.account_id, amount)
    return _take(work, asset, amount) if code is Paid.PAYMENT_SUCCESS else code


def _take_native(work: Work, address: str, amount: int) -> bool:
    key = entries.account_key(address)
    account = work.state.account(key)
    if account is None or account.balance.int64 - reserve(account) < amount:
        return False
    account.balance = xdr.Int64(account.balance.int64 - amount)
    work.state.put_account(key, account)
    return True


def _give_native(work: Work, address: str, amount: int) -> Paid:
    key = entries.account_key(address)
    account = work.state.account(key)
    if account is None:
        return Paid.PAYMENT_NO_DESTINATION
    account.balance = xdr.Int64(account.balance.int64 + amount)
    work.state.put_account(key, account)
    return Paid.PAYMENT_SUCCESS


def _give(work: Work, asset: Asset, address: str, amount: int) -> Paid:
    if address == asset.issuer:
        return Paid.PAYMENT_SUCCESS
    key = entries.trustline_key(address, asset)
    line = work.state.trustline(key)
    if line is None:
        return Paid.PAYMENT_NO_TRUST
    if not line.flags.uint32 & entries.AUTHORISED:
        return Paid.PAYMENT_NOT_AUTHORIZED
    if line.balance.int64 + amount > line.limit.int64:
        return Paid.PAYMENT_LINE_FULL
    line.balance = xdr.Int64(line.balance.int64 + amount)
    work.state.put_trustline(key, line)
    return Paid.PAYMENT_SUCCESS


def _take(work: Work, asset: Asset, amount: int) -> Paid:
    if work.source == asset.issuer:
        return Paid.PAYMENT_SUCCESS
    key = entries.trustline_key(work.source, asset)
    line = work.state.trustline(key)
    if line is None:
        return Paid.PAYMENT_SRC_NO_TRUST
    if not line.flags.uint32 & entries.AUTHORISED:
        return Paid.PAYMENT_SRC_NOT_AUTHORIZED
    if line.balance.int64 < amount:
        return Paid.PAYMENT_UNDERFUNDED
    line.balance = xdr.Int64(line.balance.int64 - amount)
    work.state.put_trustline(key, line)
    return Paid.PAYMENT_SUCCESS
