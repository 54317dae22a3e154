"""Payloads kept under a generation, in each process, bounded: read the generation, render, read it again.

Equal generations on both sides mean that all statements of the rendering saw the same committed rows, since snapshots
only go forward. So what is kept is never older than the log, and never mixed from two states.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from django.db import connections

from mcp_bridge.changes.generations import generation

T = TypeVar("T")

ATTEMPTS = 5


@dataclass(frozen=True)
class Fresh(Generic[T]):
    """A rendered value and when what it shows last changed. `kept`: it is of one state, and later readers may get
    it."""

    value: T
    last_modified: datetime | None
    kept: bool


class Kept(Generic[T]):
    """The values of this process, by name: the least recently used go first when there are too many or they weigh too
    much."""

    def __init__(
        self, *, entries: int = 1024, weight: int = 64 * 1024 * 1024, weigh: Callable[[T], int] = lambda value: 1
    ) -> None:
        self._entries = entries
        self._weight = weight
        self._weigh = weigh
        self._total = 0
        self._values: OrderedDict[Hashable, tuple[int, T, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, name: Hashable, number: int) -> tuple[T] | None:
        """The value kept under this generation, in a tuple, or None."""
        with self._lock:
            found = self._values.get(name)
            if found is None or found[0] != number:
                return None
            self._values.move_to_end(name)
            return (found[1],)

    def put(self, name: Hashable, number: int, value: T) -> None:
        """Keep `value`; one that weighs more than all of them may is not kept."""
        weight = self._weigh(value)
        with self._lock:
            self._drop(name)
            if weight > self._weight:
                return
            self._values[name] = (number, value, weight)
            self._total += weight
            while len(self._values) > self._entries or self._total > self._weight:
                self._drop(next(iter(self._values)))

    def clear(self) -> None:
        with self._lock:
            self._values.clear()
            self._total = 0

    def __len__(self) -> int:
        return len(self._values)

    def _drop(self, name: Hashable) -> None:
        gone = self._values.pop(name, None)
        if gone is not None:
            self._total -= gone[2]


def read_through(
    kept: Kept[T],
    name: Hashable,
    render: Callable[[], T],
    *,
    topics: Sequence[str],
    keys: Sequence[str] | None = None,
    using: str = "default",
) -> Fresh[T]:
    """The value of `name`, rendered from rows of these topics (and keys) only, or kept from before.

    `name` must name everything else that the value depends on, such as the caller's rights. When the rows change
    during each of five renderings the last one is given and not kept; its time is that of the generation before it, so
    a client that compares times reads again. Inside a transaction nothing is kept: its own rows are nobody else's.
    """
    if connections[using].in_atomic_block:
        return Fresh(render(), generation(topics, keys, using).last_modified, kept=False)
    before = generation(topics, keys, using)
    found = kept.get(name, before.number)
    if found is not None:
        return Fresh(found[0], before.last_modified, kept=True)
    for _ in range(ATTEMPTS):
        seen, value = before, render()
        before = generation(topics, keys, using)
        if before.number == seen.number:
            kept.put(name, seen.number, value)
            return Fresh(value, seen.last_modified, kept=True)
    return Fresh(value, seen.last_modified, kept=False)
