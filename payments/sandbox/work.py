"""What an operation gets to work with."""

from __future__ import annotations

from dataclasses import dataclass, field

from stellar_sdk import Asset, Memo, xdr

from payments.sandbox import events
from payments.sandbox.host import Outcome
from payments.sandbox.network import Network
from payments.sandbox.state import State


@dataclass
class Work:
    """One operation: its layer of state, its source, and what it emits. `outcome` is set by a contract call.

    `soroban` and `refundable` belong to contract calls: the declared resources, and the most of the refundable fee
    that may be used.
    """

    state: State
    network: Network
    source: str
    memo: Memo
    soroban: xdr.SorobanTransactionData | None = None
    refundable: int = 0
    fail_transfers: bool = False
    emitted: list[xdr.ContractEvent] = field(default_factory=list)
    outcome: Outcome | None = None
    refundable_used: int = 0

    def emit_movement(
        self, asset: Asset, source: str, destination: str, amount: int, muxed: xdr.SCVal | None = None
    ) -> None:
        contract = asset.contract_id(self.network.passphrase)
        self.emitted.append(events.movement(asset, contract, source, destination, amount, muxed))
