"""The node: what is stored, what waits, and the two things that change it: a transaction sent, a ledger closed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from stellar_sdk import xdr

from payments.sandbox import closing, genesis, transactions, validation
from payments.sandbox.faults import Faults
from payments.sandbox.keys import Keys
from payments.sandbox.network import MAX_TRANSACTIONS, Network
from payments.sandbox.records import LedgerRow
from payments.sandbox.state import Entry, State
from payments.sandbox.store import REMEMBERED, Store, previous_of
from payments.sandbox.transactions import Submitted

REPLACES_BY = 10
"""A fee bump takes the place of a waiting transaction when it bids that many times its rate."""


@dataclass(frozen=True)
class Sent:
    """The answer to a transaction: PENDING, DUPLICATE, TRY_AGAIN_LATER or ERROR, with the result of an error."""

    status: str
    hash: bytes
    error: xdr.TransactionResult | None = None


class Node:
    """`now` gives Unix seconds."""

    def __init__(self, store: Store, network: Network, keys: Keys, now: Callable[[], float] = time.time) -> None:
        self.store, self.network, self.keys = store, network, keys
        self.faults = Faults()
        self.waiting: dict[str, Submitted] = {}
        self._now = now
        self.latest = store.latest() or self._begin()

    def _begin(self) -> LedgerRow:
        first = closing.close(
            genesis.Nothing(),
            genesis.before(int(self._now())),
            [],
            self.network,
            int(self._now()),
            made=genesis.made(self.network, self.keys),
        )
        return self.store.write(first)

    def reset(self) -> None:
        """As testnet does each quarter: a new ledger 1; what waited is gone. The keys stay."""
        self.waiting.clear()
        self.store.erase()
        self.latest = self._begin()

    def next_close_time(self) -> int:
        """Not before the last ledger's. Core wants it later; here quick steps may share a second."""
        return max(int(self._now()), self.latest.close_time)

    def close(self) -> LedgerRow:
        """Close a ledger with what waits. A store that fails leaves all as it was."""
        close_time = self.next_close_time()
        self._drop_invalid(close_time)
        batch = list(self.waiting.values())[:MAX_TRANSACTIONS]
        closed = closing.close(
            self.store,
            previous_of(self.latest),
            batch,
            self.network,
            close_time,
            fail_transfers=self.faults.failing_ledgers > 0 and any(each.is_soroban for each in batch),
        )
        self.latest = self.store.write(closed)
        if any(each.is_soroban for each in batch):
            self.faults.take("failing_ledgers")
        for each in batch:
            del self.waiting[each.source]
        return self.latest

    def _drop_invalid(self, close_time: int) -> None:
        """What became invalid while it waited (too late, say) is in no ledger, ever, and costs nothing."""
        state = State(self.store, self.latest.sequence + 1)
        for source, submitted in list(self.waiting.items()):
            if validation.check(state, submitted, close_time) is not None:
                del self.waiting[source]

    def read(self, text: str) -> Submitted:
        """Raises transactions.Unreadable."""
        return transactions.read(text, self.network.id, self.network.passphrase)

    def send(self, submitted: Submitted) -> Sent:
        """Let a transaction wait for the next ledger, or say why not."""
        held = self.waiting.get(submitted.source)
        if held is not None and held.hash == submitted.hash:
            return Sent("DUPLICATE", submitted.hash)
        if held is not None and not _replaces(submitted, held):
            return Sent("TRY_AGAIN_LATER", submitted.hash)
        state = State(self.store, self.latest.sequence + 1)
        invalid = validation.check(state, submitted, self.next_close_time())
        if invalid is not None:
            return Sent("ERROR", submitted.hash, invalid.result(submitted, 0))
        self.waiting[submitted.source] = submitted
        return Sent("PENDING", submitted.hash)

    def view(self, behind: int = 0) -> View:
        """What this node shows, or one that is so many ledgers behind it."""
        lag = min(behind + self.faults.behind, REMEMBERED - 1)
        if not lag:
            return View(self, self.latest)
        oldest = self.store.oldest() or self.latest
        sequence = max(self.latest.sequence - lag, oldest.sequence)
        (shown,) = self.store.ledgers(sequence, sequence, 1)
        return View(self, shown)


def _replaces(submitted: Submitted, held: Submitted) -> bool:
    if not submitted.is_fee_bump or submitted.transaction.sequence != held.transaction.sequence:
        return False
    return (
        submitted.inclusion_fee * held.least_inclusion_fee
        >= REPLACES_BY * held.inclusion_fee * submitted.least_inclusion_fee
    )


@dataclass(frozen=True)
class View:
    """All that one answer is read from: the ledgers up to `latest`."""

    node: Node
    latest: LedgerRow

    @property
    def store(self) -> Store:
        return self.node.store

    @property
    def sequence(self) -> int:
        return self.latest.sequence

    @property
    def close_time(self) -> int:
        return self.latest.close_time + self.node.faults.skew

    @property
    def oldest(self) -> LedgerRow:
        return self.store.oldest() or self.latest

    def get(self, key: bytes) -> Entry | None:
        if self.latest is self.node.latest:
            return self.store.get(key)
        return self.store.get_at(key, self.sequence)
