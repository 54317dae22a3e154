"""One run of a job: take its lease, run it, write down when it is due again, log one line."""

from __future__ import annotations

import asyncio
import logging
from datetime import datetime, timedelta
from enum import StrEnum
from time import monotonic

import structlog

from lensproject.core import clock, leases, pool
from lensproject.core.jobs import schedule
from lensproject.core.jobs.keeper import Keeper
from lensproject.core.jobs.registry import Job
from lensproject.core.jobs.runs import Interrupted, Run, under
from lensproject.core.models import Lease

log = structlog.get_logger(__name__)


class Outcome(StrEnum):
    """How a run of a job ended."""

    DONE = "done"
    FAILED = "failed"
    TIMED_OUT = "timed out"
    STOPPED = "stopped"  # The worker was asked to end: the job is due at once, for another worker.
    LOST = "lost"  # Another worker has the lease, so this run must not say when the job is due again.


class OutOfTime(Exception):
    """An async job was cancelled at its limit."""


async def run(job: Job, holder: str, keeper: Keeper) -> Outcome | None:
    """Run a job that is due. None when another worker was faster."""
    asked = monotonic()
    fence = await pool.write(leases.take, job.lease, holder, keeper.seconds, horizon=schedule.horizon(job))
    if fence is None:
        return None
    started, held = clock.now(), Run(job.lease, fence, asked)
    with keeper.holding(held):
        outcome = Outcome.STOPPED if held.stop.is_set() else await _attempt(job, held)
    await pool.write(_settle, job, held, outcome, started)
    return outcome


async def _attempt(job: Job, held: Run) -> Outcome:
    """Run the job's function to its end. What it raises is logged here, with its traceback, and goes no further."""
    began = monotonic()
    did: object = None
    error: Exception | None = None
    try:
        with under(held):
            did = await (_flow(job, held) if job.is_async else pool.write(job.function))
        outcome = Outcome.STOPPED if held.stop.is_set() else Outcome.DONE
    except Interrupted as caught:
        outcome, error = (Outcome.STOPPED, None) if held.stop.is_set() else (Outcome.FAILED, caught)
    except OutOfTime as caught:
        outcome, error = Outcome.TIMED_OUT, caught
    except Exception as caught:
        outcome, error = Outcome.FAILED, caught
    outcome = Outcome.LOST if held.lost else outcome
    _say(job, outcome, monotonic() - began, did, error)
    return outcome


async def _flow(job: Job, held: Run) -> object:
    """An async job as a task of its own: cancelling it does not cancel whoever waits for it."""
    held.flow = asyncio.create_task(job.function(), name=job.name)
    _, late = await asyncio.wait([held.flow], timeout=job.limit)
    if late:
        held.flow.cancel()
        await asyncio.wait([held.flow])
    if held.flow.cancelled() and late:
        raise OutOfTime(f"cancelled after its limit of {job.limit:g} s")
    if held.flow.cancelled() and held.stop.is_set():
        raise Interrupted
    try:
        return held.flow.result()
    except asyncio.CancelledError:
        raise RuntimeError("the job cancelled itself") from None


def _settle(job: Job, held: Run, outcome: Outcome, started: datetime) -> None:
    """Give the lease back until the job is due again. Nothing changes when the lease was lost."""
    now = clock.now()
    if outcome in (Outcome.FAILED, Outcome.TIMED_OUT):
        failures = Lease.objects.values_list("failures", flat=True).get(name=job.lease) + 1
        pause = timedelta(seconds=schedule.pause_after(failures, job.period))
        leases.release(held.lease, held.fence, free_from=now + pause, failures=failures)
    elif outcome is Outcome.STOPPED:
        leases.release(held.lease, held.fence)
    elif outcome is Outcome.DONE:
        leases.release(held.lease, held.fence, free_from=schedule.next_tick(started, now, job.period), failures=0)


def _say(job: Job, outcome: Outcome, seconds: float, did: object, error: Exception | None) -> None:
    """One line a run: an error with its traceback, and at the level DEBUG when there was nothing to do."""
    facts: dict[str, object] = {"job": job.name, "outcome": outcome.value, "seconds": round(seconds, 3)}
    if isinstance(did, int):
        facts["did"] = did
    if error is not None:
        log.error("job", **facts, exc_info=error)
    elif outcome is Outcome.DONE:
        log.log(logging.DEBUG if did == 0 else logging.INFO, "job", **facts)
    else:
        log.warning("job", **facts)
