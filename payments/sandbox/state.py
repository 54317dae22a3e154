"""The entries of the ledger while transactions change them: layers over what is stored, kept or dropped as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from stellar_sdk import xdr

_CHANGE = xdr.LedgerEntryChangeType


@dataclass(frozen=True)
class Entry:
    """`data` is the XDR of a LedgerEntryData; `live_until` the last ledger in which a contract's entry is there."""

    data: bytes
    modified: int
    live_until: int | None = None

    def read(self) -> xdr.LedgerEntryData:
        """A copy of its own, free to be changed."""
        return xdr.LedgerEntryData.from_xdr_bytes(self.data)

    def whole(self) -> xdr.LedgerEntry:
        return xdr.LedgerEntry(xdr.Uint32(self.modified), self.read(), xdr.LedgerEntryExt(0))


@dataclass(frozen=True)
class Change:
    key: bytes
    before: Entry | None
    after: Entry | None


class Entries(Protocol):
    def get(self, key: bytes) -> Entry | None: ...


class State:
    """A layer in which ledger `ledger` is made. Entries whose life is over are not there."""

    def __init__(self, below: Entries, ledger: int) -> None:
        self.below = below
        self.ledger = ledger
        self.changed: dict[bytes, Entry | None] = {}
        self.touched: dict[bytes, None] = {}

    def get(self, key: bytes) -> Entry | None:
        self.touched.setdefault(key)
        entry = self.changed[key] if key in self.changed else self.below.get(key)
        if entry is None or (entry.live_until is not None and entry.live_until < self.ledger):
            return None
        return entry

    def put(self, key: bytes, data: xdr.LedgerEntryData, live_until: int | None = None) -> None:
        self.touched.setdefault(key)
        self.changed[key] = Entry(data.to_xdr_bytes(), self.ledger, live_until)

    def delete(self, key: bytes) -> None:
        self.touched.setdefault(key)
        self.changed[key] = None

    def account(self, key: bytes) -> xdr.AccountEntry | None:
        entry = self.get(key)
        return None if entry is None else entry.read().account

    def trustline(self, key: bytes) -> xdr.TrustLineEntry | None:
        entry = self.get(key)
        return None if entry is None else entry.read().trust_line

    def put_account(self, key: bytes, account: xdr.AccountEntry) -> None:
        self.put(key, xdr.LedgerEntryData(xdr.LedgerEntryType.ACCOUNT, account=account))

    def put_trustline(self, key: bytes, line: xdr.TrustLineEntry) -> None:
        self.put(key, xdr.LedgerEntryData(xdr.LedgerEntryType.TRUSTLINE, trust_line=line))

    def layer(self) -> State:
        return State(self, self.ledger)

    def keep(self) -> None:
        """Write this layer's changes into the one below."""
        if not isinstance(self.below, State):
            raise TypeError("a layer over what is stored is kept by storing it")
        self.below.changed.update(self.changed)

    def changes(self) -> Iterator[Change]:
        """What this layer changed, in the order in which it did."""
        for key, after in self.changed.items():
            before = self.below.get(key)
            if before != after:
                yield Change(key, before, after)


def changes_xdr(state: State) -> xdr.LedgerEntryChanges:
    """The changes of a layer as transaction meta tells them: the state before, then what became of it."""
    return xdr.LedgerEntryChanges([told for change in state.changes() for told in _told(change)])


def _told(change: Change) -> Iterator[xdr.LedgerEntryChange]:
    if change.before is not None:
        yield xdr.LedgerEntryChange(_CHANGE.LEDGER_ENTRY_STATE, state=change.before.whole())
    if change.after is None:
        yield xdr.LedgerEntryChange(_CHANGE.LEDGER_ENTRY_REMOVED, removed=xdr.LedgerKey.from_xdr_bytes(change.key))
    elif change.before is None:
        yield xdr.LedgerEntryChange(_CHANGE.LEDGER_ENTRY_CREATED, created=change.after.whole())
    else:
        yield xdr.LedgerEntryChange(_CHANGE.LEDGER_ENTRY_UPDATED, updated=change.after.whole())
