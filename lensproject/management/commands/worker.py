"""`manage.py worker`: runs the periodic jobs and the queued tasks."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, connection, connections

from lensproject.core import clock, pool
from lensproject.core.jobs import registry, schedule
from lensproject.core.jobs.worker import Worker

END_WITHIN_SECONDS = 2.7
"""After TERM or INT, whatever hangs: the process ends within 3 s. What it held is left to its leases."""


class Command(BaseCommand):
    """Work until TERM or INT. A second one ends the process at once."""

    help = "Run the periodic jobs and the queued tasks, until TERM or INT. Any number of workers may run at once."

    def add_arguments(self, parser: CommandParser) -> None:
        way = parser.add_mutually_exclusive_group()
        way.add_argument(
            "--once", action="store_true", help="Run all that is due or queued and end; status 1 when a job failed."
        )
        way.add_argument(
            "--list", action="store_true", dest="listing", help="Show the jobs, when each is due, and who runs it."
        )

    def handle(self, *args: Any, once: bool, listing: bool, **options: Any) -> None:
        registry.discover()
        jobs = registry.registered(connection.vendor)
        if listing:
            return self._list(jobs)
        worker = Worker(jobs, lease_seconds=settings.LENS.worker_lease_seconds)
        try:
            left = asyncio.run(_work(worker, once=once))
        except DatabaseError as error:
            raise CommandError(f"The database cannot be used: {error}") from error
        if left:
            # Threads cannot be stopped, and Python would wait for them.
            _end(0)
        worker.close()
        pool.close()
        connections.close_all()
        if once and worker.failed:
            raise CommandError(f"Failed: {', '.join(sorted(worker.failed))}. The log has why.")

    def _list(self, jobs: tuple[registry.Job, ...]) -> None:
        try:
            entries = schedule.timetable(jobs)
        except DatabaseError as error:
            raise CommandError(f"The database cannot be used: {error}") from error
        rows = [("job", "seconds", "next due", "holder"), *map(_row, entries)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            self.stdout.write("  ".join(cells).rstrip())


def _row(entry: schedule.Entry) -> tuple[str, str, str, str]:
    now = clock.now()
    held = entry.holder if entry.until and entry.until > now else ""
    due = "now" if entry.is_due(now) else "running" if held else clock.iso(entry.until or now)
    return entry.job.name, f"{entry.job.period:g}", due, held or "-"


async def _work(worker: Worker, *, once: bool) -> list[str]:
    _stop_by_signal(worker, asyncio.get_running_loop())
    return await worker.run(once=once)


def _stop_by_signal(worker: Worker, loop: asyncio.AbstractEventLoop) -> None:
    """Handlers of Python's own and not of the event loop: they come through when a job hangs the loop."""

    def stop(number: int, frame: FrameType | None) -> None:
        for each in (signal.SIGTERM, signal.SIGINT):
            signal.signal(each, lambda *_: _end(1))
        watchdog = threading.Timer(END_WITHIN_SECONDS, _end, [0])
        watchdog.daemon = True
        watchdog.start()
        loop.call_soon_threadsafe(worker.stop)

    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, stop)


def _end(status: int) -> None:
    """End the process now, threads or not."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
