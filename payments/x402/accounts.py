"""Accounts from which transactions are sent: their sequence, read from the ledger, and what they can still spend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stellar_sdk import xdr

from lensproject.core.stellar.faults import NodeGarbage
from lensproject.core.stellar.rpc import Node
from payments.x402 import ledger_keys
from payments.x402.holdings import spendable_lumens
from payments.x402.optional import given


@dataclass(frozen=True)
class AccountState:
    """An account as of one ledger. `sequence` is the last one used; `spendable` is in stroops, above the reserve."""

    address: str
    sequence: int
    spendable: int
    latest_ledger: int


async def account_states(node: Node, addresses: Sequence[str]) -> dict[str, AccountState]:
    """Those of the accounts (at most 200) that exist, by address. Raises NodeFault."""
    answer = await node.entries([ledger_keys.account(address) for address in addresses])
    states = {}
    for address in addresses:
        entry = answer.found.get(ledger_keys.account(address))
        if entry is not None:
            states[address] = _state(address, entry.xdr, answer.latest_ledger)
    return states


def _state(address: str, data: str, latest_ledger: int) -> AccountState:
    try:
        account = given(xdr.LedgerEntryData.from_xdr(data).account)
    except Exception:  # The SDK's reader raises errors of many kinds on bytes that are no XDR.
        raise NodeGarbage("getLedgerEntries: an account cannot be read") from None
    return AccountState(address, account.seq_num.sequence_number.int64, spendable_lumens(account), latest_ledger)
