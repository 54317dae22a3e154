"""One piece of work under its lease, and what the work itself may ask about it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event
from typing import Any

_current: ContextVar[Run | None] = ContextVar("run", default=None)


class Run:
    """What this process holds a lease for: a run of a job, or the worker itself with the tasks that it claims."""

    def __init__(self, lease: str, fence: int, asked: float) -> None:
        self.lease = lease
        self.fence = fence
        self.asked = asked
        """`time.monotonic()` before the lease was taken: its life counts from here, however long taking it took."""
        self.stop = Event()
        self.lost = False
        self.flow: asyncio.Task[Any] | None = None
        """The running flow of an async job. Threads cannot be cancelled, so there is none for sync work."""

    def cancel(self) -> None:
        """Stop now, where that is possible."""
        self.stop.set()
        if self.flow is not None:
            self.flow.cancel()

    def lose(self) -> None:
        """The lease is another's now: what is still done here must not count."""
        self.lost = True
        self.cancel()


@contextmanager
def under(run: Run) -> Iterator[None]:
    """Within the block, and in the threads and flows that it starts, `run` is the current one."""
    token = _current.set(run)
    try:
        yield
    finally:
        _current.reset(token)


def current() -> Run | None:
    """The run whose code asks. `leases.still_held(run.lease, run.fence)` is the check before what must not double."""
    return _current.get()


class Interrupted(Exception):
    """Work stopped early because its worker is to end. A job, or a repeatable task, is left for another worker."""


def stopping() -> bool:
    """Whether the code that asks should stop at the next good place: the worker is to end, or its lease is lost."""
    run = _current.get()
    return run is not None and run.stop.is_set()


def checkpoint() -> None:
    """A good place to stop at, for long sync work: raises Interrupted when the worker is to end."""
    if stopping():
        raise Interrupted
