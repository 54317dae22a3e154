"""When a job is due: kept in its Lease row, so that it holds across workers and restarts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

from lensproject.core.jobs.registry import Job
from lensproject.core.leases import HORIZON_SECONDS
from lensproject.core.models import Lease

LONGEST_PAUSE = 600.0
SHORTEST_LOOK = 0.02


@dataclass(frozen=True)
class Entry:
    """A job and the state of its lease. `until` None: it never ran."""

    job: Job
    until: datetime | None = None
    holder: str = ""
    failures: int = 0

    def is_due(self, now: datetime) -> bool:
        return self.until is None or not now < self.until <= now + timedelta(seconds=horizon(self.job))


def horizon(job: Job) -> float:
    """The farthest moment, in seconds from now, at which the job's lease may rightly become free."""
    return max(job.period, HORIZON_SECONDS)


def timetable(jobs: Sequence[Job]) -> list[Entry]:
    """The jobs with their leases, in one query."""
    leases = {lease.name: lease for lease in Lease.objects.filter(name__in=[job.lease for job in jobs])}
    return [
        Entry(job, lease.until, lease.holder, lease.failures) if (lease := leases.get(job.lease)) else Entry(job)
        for job in jobs
    ]


def next_look(entries: Iterable[Entry], now: datetime) -> float:
    """Seconds until a look can find something due. A lease that another holds may become free at any time."""
    waits = [(entry.until - now).total_seconds() for entry in entries if entry.until and not entry.is_due(now)]
    periods = [entry.job.period for entry in entries]
    return max(min([*waits, *periods, LONGEST_PAUSE]), SHORTEST_LOOK)


def next_tick(started: datetime, finished: datetime, seconds: float) -> datetime:
    """When a job that ran is due again: a whole number of periods after its start. Missed ticks are not made up."""
    periods = ceil((finished - started).total_seconds() / seconds)
    return started + timedelta(seconds=seconds * max(1, periods))


def pause_after(failures: int, seconds: float) -> float:
    """Seconds until a job is tried again that failed this often in a row: one period, then twice as long each time."""
    return min(seconds * 2.0 ** min(failures - 1, 30), max(seconds, LONGEST_PAUSE))
