"""Running one host function: recording what it needs, or enforcing what the transaction declared."""

from __future__ import annotations

from dataclasses import dataclass, field

from stellar_sdk import Address, xdr
from stellar_sdk.address import AddressType

from payments.sandbox import asset_contract, events
from payments.sandbox.authorisation import Authorisations
from payments.sandbox.errors import CODE, TYPE, HostError, storage_error
from payments.sandbox.state import Entries, Entry, State


@dataclass
class Outcome:
    """What a call gave. `error` is set when it trapped: then `value` is None and nothing of `state` may be kept."""

    state: State
    value: xdr.SCVal | None = None
    error: HostError | None = None
    emitted: list[xdr.ContractEvent] = field(default_factory=list)
    diagnostics: list[xdr.DiagnosticEvent] = field(default_factory=list)

    @property
    def error_text(self) -> str:
        """As the host writes it: the error, then what led to it, newest first."""
        return (
            ""
            if self.error is None
            else f"HostError: {self.error.name}\n\nEvent log (newest first):\n   0: {self.error}"
        )

    @property
    def event_bytes(self) -> int:
        value = 0 if self.value is None else len(self.value.to_xdr_bytes())
        return value + sum(len(event.to_xdr_bytes()) for event in self.emitted)


class Footprinted(State):
    """A layer that lets a transaction touch only what its footprint names."""

    def __init__(self, below: Entries, ledger: int, footprint: xdr.LedgerFootprint) -> None:
        super().__init__(below, ledger)
        self.writable = {key.to_xdr_bytes() for key in footprint.read_write}
        self.readable = self.writable | {key.to_xdr_bytes() for key in footprint.read_only}

    def get(self, key: bytes) -> Entry | None:
        if key not in self.readable:
            raise storage_error(CODE.SCEC_EXCEEDED_LIMIT, "trying to access a ledger entry outside of the footprint")
        return super().get(key)

    def put(self, key: bytes, data: xdr.LedgerEntryData, live_until: int | None = None) -> None:
        if key not in self.writable:
            raise storage_error(CODE.SCEC_EXCEEDED_LIMIT, "trying to write a ledger entry outside of the footprint")
        super().put(key, data, live_until)


def run(state: State, function: xdr.HostFunction, authorisations: Authorisations) -> Outcome:
    """Call the contract in `state`, which is a layer of the caller's and is kept or dropped by it."""
    outcome = Outcome(state)
    invocation = function.invoke_contract
    if invocation is None:
        refused = HostError(TYPE.SCE_CONTEXT, CODE.SCEC_INVALID_ACTION, "only contracts of assets can be called here")
        return _trapped(outcome, None, refused)
    address = Address.from_xdr_sc_address(invocation.contract_address)
    if address.type is not AddressType.CONTRACT:
        missing = storage_error(CODE.SCEC_MISSING_VALUE, f"{address.address} is no contract")
        return _trapped(outcome, None, missing)
    name = invocation.function_name.sc_symbol.decode(errors="replace")
    asked = events.called(address.address, name, invocation.args)
    try:
        outcome.value = _call(outcome, address.address, name, invocation, authorisations)
    except HostError as error:
        outcome.diagnostics.append(events.diagnosed(asked, successful=False))
        return _trapped(outcome, address.address, error)
    told = [asked, *outcome.emitted, events.returned(address.address, name, outcome.value)]
    outcome.diagnostics = [events.diagnosed(event, successful=True) for event in told]
    return outcome


def _trapped(outcome: Outcome, contract: str | None, error: HostError) -> Outcome:
    outcome.error = error
    outcome.emitted.clear()
    outcome.diagnostics.append(events.diagnosed(events.failed(contract, error), successful=False))
    return outcome


def _call(
    outcome: Outcome, contract: str, name: str, invocation: xdr.InvokeContractArgs, authorisations: Authorisations
) -> xdr.SCVal:
    asset = asset_contract.asset_of(outcome.state, contract)
    function = asset_contract.FUNCTIONS.get(name)
    if function is None:
        message = f"trying to invoke non-existent contract function {name}"
        raise HostError(TYPE.SCE_CONTEXT, CODE.SCEC_MISSING_VALUE, message)
    return function(asset_contract.Call(outcome.state, authorisations, asset, contract, invocation, outcome.emitted))
