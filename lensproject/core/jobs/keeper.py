"""Keeps the leases that a worker holds alive, and tells the work whose lease was lost."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from math import inf
from time import monotonic

import structlog
from django.db import DatabaseError, close_old_connections

from lensproject.core import leases
from lensproject.core.jobs.runs import Run

log = structlog.get_logger(__name__)


class Keeper:
    """Renews each lease when between a sixth and a half of its life is over.

    It has a thread of its own, because a long step may keep those of `core.pool` busy for longer than a lease lives.
    It depends on the event loop on purpose: a loop that hangs must lose what it holds.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._ends: dict[Run, float] = {}
        self._stopping = False
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="keeper")

    @contextmanager
    def holding(self, run: Run) -> Iterator[None]:
        """Within the block the lease is renewed."""
        self.add(run)
        try:
            yield
        finally:
            self.drop(run)

    def add(self, run: Run) -> None:
        """Renew a lease that was asked for at `run.asked`."""
        self._ends[run] = run.asked + self.seconds
        if self._stopping:
            run.stop.set()

    def drop(self, run: Run) -> None:
        self._ends.pop(run, None)

    def stop_all(self) -> None:
        """Tell all work, and what comes yet, to come to an end."""
        self._stopping = True
        for run in tuple(self._ends):
            run.stop.set()

    def cancel_all(self) -> None:
        """Stop all work now, where that is possible."""
        for run in tuple(self._ends):
            run.cancel()

    async def keep(self) -> None:
        """Renew until cancelled."""
        while True:
            await asyncio.sleep(self.seconds / 3)
            for run in tuple(self._ends):
                if self._ends.get(run, inf) - monotonic() < self.seconds * 5 / 6:
                    await self._renew(run)

    async def _renew(self, run: Run) -> None:
        asked = monotonic()
        left = max(self._ends.get(run, asked) - asked, self.seconds / 3)
        try:
            renewing = asyncio.get_running_loop().run_in_executor(self._thread, _renew, run, self.seconds)
            kept = await asyncio.wait_for(renewing, left)
        except (DatabaseError, TimeoutError) as error:
            log.warning("lease not renewed", lease=run.lease, error=str(error) or type(error).__name__)
            kept = None
        if run not in self._ends:
            return  # The work ended meanwhile.
        if kept:
            self._ends[run] = asked + self.seconds
        elif kept is False or monotonic() >= self._ends[run]:
            self._lose(run)

    def _lose(self, run: Run) -> None:
        log.warning("lease lost", lease=run.lease, fence=run.fence)
        self.drop(run)
        run.lose()

    def close(self) -> None:
        """End the thread, once what it does is done."""
        self._thread.shutdown(wait=True)


def _renew(run: Run, seconds: float) -> bool:
    close_old_connections()
    try:
        return leases.renew(run.lease, run.fence, seconds)
    finally:
        close_old_connections()
