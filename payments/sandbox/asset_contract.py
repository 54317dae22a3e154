"""The Stellar Asset Contract (SEP-41 over a classic or the native asset): the functions that payments use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from stellar_sdk import Address, Asset, StrKey, scval, xdr

from payments.sandbox import entries, events
from payments.sandbox.authorisation import Authorisations
from payments.sandbox.balances import MOST, Holdings
from payments.sandbox.errors import CODE, AssetError, ContractFailed, HostError, storage_error, value_error
from payments.sandbox.network import PERSISTENT
from payments.sandbox.presence import present
from payments.sandbox.state import State

DECIMALS = 7
_ADDRESS = xdr.SCAddressType


@dataclass(frozen=True)
class Call:
    """One call of the contract of `asset`: the state it changes, who authorises, and where its events go."""

    state: State
    authorisations: Authorisations
    asset: Asset
    contract: str
    invocation: xdr.InvokeContractArgs
    emitted: list[xdr.ContractEvent]

    @property
    def holdings(self) -> Holdings:
        return Holdings(self.state, self.asset, self.contract)


def deploy(state: State, asset: Asset, passphrase: str) -> str:
    """Write the contract's instance, as deploying the asset's contract does. Returns its id."""
    contract = asset.contract_id(passphrase)
    executable = xdr.ContractExecutable(xdr.ContractExecutableType.CONTRACT_EXECUTABLE_STELLAR_ASSET)
    metadata = scval.to_map(
        {
            scval.to_symbol("decimal"): scval.to_uint32(DECIMALS),
            scval.to_symbol("name"): scval.to_string(events.asset_name(asset)),
            scval.to_symbol("symbol"): scval.to_string("native" if asset.is_native() else asset.code),
        }
    )
    storage = xdr.SCMap([xdr.SCMapEntry(scval.to_symbol("METADATA"), metadata), *_admin(asset)])
    instance = xdr.SCVal(xdr.SCValType.SCV_CONTRACT_INSTANCE, instance=xdr.SCContractInstance(executable, storage))
    data = entries.new_contract_data(contract, entries.INSTANCE, instance)
    state.put(entries.instance_key(contract), data, live_until=PERSISTENT)
    return contract


def _admin(asset: Asset) -> list[xdr.SCMapEntry]:
    if asset.issuer is None:
        return []
    return [xdr.SCMapEntry(scval.to_vec([scval.to_symbol("Admin")]), scval.to_address(asset.issuer))]


def asset_of(state: State, contract: str) -> Asset:
    """The asset whose contract this is, read from its instance. Raises HostError where there is no contract."""
    entry = state.get(entries.instance_key(contract))
    if entry is None:
        raise storage_error(
            CODE.SCEC_MISSING_VALUE, f"trying to get non-existing value for contract instance {contract}"
        )
    name = scval.from_string(_metadata(entry.read())["name"]).decode()
    code, _, issuer = name.partition(":")
    return Asset(code, issuer) if issuer else Asset.native()


def _metadata(data: xdr.LedgerEntryData) -> dict[str, xdr.SCVal]:
    instance = present(present(data.contract_data).val.instance)
    first = present(instance.storage).sc_map[0].val
    return {scval.from_symbol(key): value for key, value in scval.from_map(first).items()}


def transfer(call: Call) -> xdr.SCVal:
    source, destination, amount = _arguments(call, 3)
    payer = account_or_contract(source)
    payee, muxed = payee_of(destination)
    units = _units(amount)
    if units < 0:
        raise ContractFailed(AssetError.NEGATIVE_AMOUNT, f"negative amount is not allowed: {units}")
    call.authorisations.require(call.state, payer, call.invocation)
    if units > MOST:
        raise ContractFailed(AssetError.BALANCE, "resulting balance is not within the allowed range")
    call.holdings.move(payer, payee, units)
    call.emitted.append(events.movement(call.asset, call.contract, payer, payee, units, muxed))
    return scval.to_void()


def balance(call: Call) -> xdr.SCVal:
    (address,) = _arguments(call, 1)
    try:
        return scval.to_int128(call.holdings.balance(account_or_contract(address)))
    except ContractFailed as error:
        if error.value.contract_code == xdr.Uint32(AssetError.TRUSTLINE_MISSING):
            return scval.to_int128(0)
        raise


def decimals(call: Call) -> xdr.SCVal:
    _arguments(call, 0)
    return scval.to_uint32(DECIMALS)


def name(call: Call) -> xdr.SCVal:
    _arguments(call, 0)
    return scval.to_string(events.asset_name(call.asset))


def symbol(call: Call) -> xdr.SCVal:
    _arguments(call, 0)
    return scval.to_string("native" if call.asset.is_native() else call.asset.code)


FUNCTIONS: Mapping[str, Callable[[Call], xdr.SCVal]] = {
    function.__name__: function for function in (transfer, balance, decimals, name, symbol)
}


def account_or_contract(value: xdr.SCVal) -> str:
    if value.address is None or value.address.type not in (
        _ADDRESS.SC_ADDRESS_TYPE_ACCOUNT,
        _ADDRESS.SC_ADDRESS_TYPE_CONTRACT,
    ):
        raise value_error("an address of an account or a contract is expected")
    return Address.from_xdr_sc_address(value.address).address


def payee_of(value: xdr.SCVal) -> tuple[str, xdr.SCVal | None]:
    """The account or contract that gets the money, and the id of a muxed address."""
    if value.address is not None and value.address.muxed_account is not None:
        muxed = value.address.muxed_account
        return StrKey.encode_ed25519_public_key(muxed.ed25519.uint256), scval.to_uint64(muxed.id.uint64)
    return account_or_contract(value), None


def _units(value: xdr.SCVal) -> int:
    if value.type is not xdr.SCValType.SCV_I128:
        raise value_error("the amount must be an i128")
    return scval.from_int128(value)


def _arguments(call: Call, count: int) -> list[xdr.SCVal]:
    if len(call.invocation.args) != count:
        raise HostError(
            xdr.SCErrorType.SCE_CONTEXT,
            CODE.SCEC_UNEXPECTED_SIZE,
            f"{count} arguments are expected, {len(call.invocation.args)} were given",
        )
    return list(call.invocation.args)
