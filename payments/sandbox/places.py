"""Where an event or a transaction is: the numbers that cursors and event ids are made of (TOID, SEP-35)."""

from __future__ import annotations

from dataclasses import dataclass

MOST_TRANSACTIONS, MOST_OPERATIONS, MOST_EVENTS = 2**20 - 1, 2**12 - 1, 2**32 - 1


@dataclass(frozen=True, order=True)
class Place:
    """Transactions are counted from 1, operations and events from 0."""

    ledger: int
    transaction: int = 0
    operation: int = 0
    event: int = 0

    @property
    def toid(self) -> int:
        return self.ledger << 32 | self.transaction << 12 | self.operation

    def __str__(self) -> str:
        return f"{self.toid:019d}-{self.event:010d}"


def of_toid(toid: int, event: int = 0) -> Place:
    return Place(toid >> 32, toid >> 12 & MOST_TRANSACTIONS, toid & MOST_OPERATIONS, event)


def parse(cursor: str) -> Place:
    """An event's cursor. Raises ValueError when it is none."""
    toid, dash, event = cursor.partition("-")
    if not (toid.isdecimal() and dash and event.isdecimal() and len(cursor) <= 40):
        raise ValueError(f"{cursor!r} is no cursor of an event")
    return of_toid(int(toid), int(event))


def end_of(ledger: int) -> Place:
    """After everything in a ledger."""
    return Place(ledger, MOST_TRANSACTIONS, MOST_OPERATIONS, MOST_EVENTS)
