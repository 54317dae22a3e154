"""Events of the unified asset model (CAP-67): transfer, mint, burn and fee, and the diagnostic events around a call."""

from __future__ import annotations

from stellar_sdk import Address, Asset, Memo, MuxedAccount, scval, xdr
from stellar_sdk.memo import HashMemo, IdMemo, ReturnHashMemo, TextMemo

from payments.sandbox.entries import NONE
from payments.sandbox.errors import HostError

Event = xdr.ContractEvent


def asset_name(asset: Asset) -> str:
    """As SEP-11 writes it."""
    return "native" if asset.is_native() else f"{asset.code}:{asset.issuer}"


def movement(
    asset: Asset, contract: str, source: str, destination: str, amount: int, muxed: xdr.SCVal | None = None
) -> Event:
    """transfer (from, to), or mint (to) from the issuer, or burn (from) to the issuer; the asset is the last topic.

    The data is the amount, or a map with `to_muxed_id` when a muxed account or a memo named a sub-account.
    """
    minted, burned = source == asset.issuer, destination == asset.issuer
    if minted == burned:
        topics = [scval.to_symbol("transfer"), scval.to_address(source), scval.to_address(destination)]
    elif minted:
        topics = [scval.to_symbol("mint"), scval.to_address(destination)]
    else:
        topics, muxed = [scval.to_symbol("burn"), scval.to_address(source)], None
    return contract_event(contract, [*topics, scval.to_string(asset_name(asset))], _amount(amount, muxed))


def _amount(amount: int, muxed: xdr.SCVal | None) -> xdr.SCVal:
    units = scval.to_int128(amount)
    if muxed is None:
        return units
    return scval.to_map({scval.to_symbol("amount"): units, scval.to_symbol("to_muxed_id"): muxed})


def muxed_id(destination: MuxedAccount, memo: Memo) -> xdr.SCVal | None:
    """What a classic payment says about the sub-account: the id of M…, else the memo of the transaction."""
    if destination.account_muxed_id is not None:
        return scval.to_uint64(destination.account_muxed_id)
    if isinstance(memo, IdMemo):
        return scval.to_uint64(memo.memo_id)
    if isinstance(memo, TextMemo):
        return scval.to_string(memo.memo_text)
    if isinstance(memo, HashMemo):
        return scval.to_bytes(memo.memo_hash)
    return scval.to_bytes(memo.memo_return) if isinstance(memo, ReturnHashMemo) else None


def fee(native_contract: str, payer: str, amount: int) -> Event:
    """A fee that was charged, or given back when negative."""
    return contract_event(native_contract, [scval.to_symbol("fee"), scval.to_address(payer)], scval.to_int128(amount))


def contract_event(
    contract: str | None,
    topics: list[xdr.SCVal],
    data: xdr.SCVal,
    kind: xdr.ContractEventType = xdr.ContractEventType.CONTRACT,
) -> Event:
    body = xdr.ContractEventBody(0, v0=xdr.ContractEventV0(topics, data))
    emitter = None if contract is None else Address(contract).to_xdr_sc_address().contract_id
    return Event(NONE, emitter, kind, body)


def diagnosed(event: Event, *, successful: bool) -> xdr.DiagnosticEvent:
    return xdr.DiagnosticEvent(successful, event)


def called(contract: str, function: str, arguments: list[xdr.SCVal]) -> Event:
    topics = [
        scval.to_symbol("fn_call"),
        scval.to_bytes(Address(contract).key),
        scval.to_symbol(function),
    ]
    data = arguments[0] if len(arguments) == 1 else scval.to_vec(list(arguments))
    return contract_event(None, topics, data, xdr.ContractEventType.DIAGNOSTIC)


def returned(contract: str, function: str, value: xdr.SCVal) -> Event:
    topics = [scval.to_symbol("fn_return"), scval.to_symbol(function)]
    return contract_event(contract, topics, value, xdr.ContractEventType.DIAGNOSTIC)


def failed(contract: str | None, error: HostError) -> Event:
    topics = [scval.to_symbol("error"), xdr.SCVal(xdr.SCValType.SCV_ERROR, error=error.value)]
    data = scval.to_string(str(error))
    return contract_event(contract, topics, data, xdr.ContractEventType.DIAGNOSTIC)
