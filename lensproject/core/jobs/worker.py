"""The worker: runs what is due and what is queued until it is told to stop. Any number may run; any may be killed."""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from time import monotonic

import structlog
from django.db import DatabaseError

from lensproject.core import clock, leases, pool
from lensproject.core.jobs import execution, schedule, tasks
from lensproject.core.jobs.execution import Outcome
from lensproject.core.jobs.keeper import Keeper
from lensproject.core.jobs.registry import Job
from lensproject.core.jobs.runs import Run

log = structlog.get_logger(__name__)

POLL_SECONDS = 1.0
GRACE_SECONDS = 1.0
CANCEL_SECONDS = 0.5
LONGEST_RETREAT = 30.0


def new_id() -> str:
    """At most 64 characters: the machine, the process, and something that no earlier process had."""
    return f"{socket.gethostname()[:32]}-{os.getpid()}-{secrets.token_hex(4)}"


class Worker:
    """One process's share of the work: each due job as a task of its own, and queued tasks one after the other."""

    def __init__(self, jobs: Sequence[Job], *, lease_seconds: float) -> None:
        self.id = new_id()
        self.jobs = jobs
        self.keeper = Keeper(lease_seconds)
        self.failed: set[str] = set()
        self._running: dict[str, asyncio.Task[None]] = {}
        self._me: Run | None = None
        self._task_thread = ThreadPoolExecutor(1, thread_name_prefix="tasks")
        self._stop = asyncio.Event()
        self._look = asyncio.Event()

    async def run(self, *, once: bool = False) -> list[str]:
        """Work until `stop`, or with `once` until everything that is due or queued was run.

        Returns what did not end in time and is left to its lease: names of jobs, or `tasks`. Raises DatabaseError with
        `once` when the database cannot be used; without it the worker waits until it can.
        """
        log.info("worker", id=self.id, state="started", jobs=[job.name for job in self.jobs])
        keeping = asyncio.create_task(self.keeper.keep())
        work = asyncio.create_task(self._everything_once() if once else self._until_stopped(), name="tasks")
        stopped = asyncio.create_task(self._stop.wait())
        try:
            await asyncio.wait([work, stopped], return_when=asyncio.FIRST_COMPLETED)
            left = await self._wind_down(work)
        finally:
            keeping.cancel()
            stopped.cancel()
        log.info("worker", id=self.id, state="stopped", left=left)
        return left

    def stop(self) -> None:
        """Start nothing more, and tell what runs to come to an end."""
        log.info("worker", id=self.id, state="stopping")
        self._stop.set()
        self._look.set()
        self.keeper.stop_all()

    async def _wind_down(self, work: asyncio.Task[None]) -> list[str]:
        """Give what runs a chance to end, then cancel what can be cancelled."""
        _, pending = await asyncio.wait([work, *self._running.values()], timeout=GRACE_SECONDS)
        self.keeper.cancel_all()
        if pending:
            _, pending = await asyncio.wait(pending, timeout=CANCEL_SECONDS)
        if work not in pending:
            await self._sign_off()
            work.result()
        return sorted(task.get_name() for task in pending)

    async def _everything_once(self) -> None:
        entries = await pool.read(schedule.timetable, self.jobs)
        now = clock.now()
        await asyncio.gather(*(self._start(entry.job) for entry in entries if entry.is_due(now)))
        while not self._stop.is_set() and await self._run_a_task():
            pass

    async def _until_stopped(self) -> None:
        await asyncio.gather(
            self._steadily(self._start_due_jobs, self._look), self._steadily(self._work_on_queue, self._stop)
        )

    async def _steadily(self, step: Callable[[], Awaitable[float]], alarm: asyncio.Event) -> None:
        """Repeat a step, which says how long to wait; one that fails is tried again later and later."""
        failures = 0
        while not self._stop.is_set():
            try:
                pause, failures = await step(), 0
            except Exception as error:
                failures += 1
                pause = min(2.0**failures / 2, LONGEST_RETREAT)
                # A database that is away is said in one line; anything else is a fault of ours.
                trouble = None if isinstance(error, DatabaseError) else error
                log.warning("worker", id=self.id, state="in trouble", error=str(error), again=pause, exc_info=trouble)
            with suppress(TimeoutError):
                await asyncio.wait_for(alarm.wait(), pause)

    async def _start_due_jobs(self) -> float:
        self._look.clear()
        entries = await pool.read(schedule.timetable, self.jobs)
        now = clock.now()
        for entry in entries:
            if entry.is_due(now) and entry.job.name not in self._running and not self._stop.is_set():
                self._start(entry.job)
        return schedule.next_look(entries, now)

    def _start(self, job: Job) -> asyncio.Task[None]:
        self._running[job.name] = asyncio.create_task(self._run_job(job), name=job.name)
        return self._running[job.name]

    async def _run_job(self, job: Job) -> None:
        """A job that fails never stops the worker."""
        try:
            outcome = await execution.run(job, self.id, self.keeper)
        except Exception as error:
            # Not the job's own failure, which `execution` logs: its lease could not be taken or given back.
            log.warning("job", job=job.name, outcome="no lease", error=str(error))
            outcome = Outcome.FAILED
        if outcome in (Outcome.FAILED, Outcome.TIMED_OUT):
            self.failed.add(job.name)
        del self._running[job.name]
        self._look.set()

    async def _work_on_queue(self) -> float:
        return 0.0 if await self._run_a_task() else POLL_SECONDS

    async def _run_a_task(self) -> bool:
        me = await self._sign_on()
        if not await pool.read(tasks.any_ready):
            return False
        try:
            return await asyncio.get_running_loop().run_in_executor(self._task_thread, tasks.run_one, me)
        except Exception:
            # Its outcome could not be written down. This worker lives on under a new id, and the task is an orphan.
            self.keeper.drop(me)
            me.lose()
            raise

    async def _sign_on(self) -> Run:
        """The lease by which others see that this worker lives; a new one under a new id when it was lost."""
        if self._me is None or self._me.lost:
            self.id = self.id if self._me is None else new_id()
            asked, name = monotonic(), f"{tasks.WORKER_PREFIX}{self.id}"
            fence = await pool.write(leases.take, name, self.id, self.keeper.seconds)
            if fence is None:
                raise RuntimeError(f"another worker has the id {self.id}")
            self._me = Run(name, fence, asked)
            self.keeper.add(self._me)
        return self._me

    async def _sign_off(self) -> None:
        if self._me is not None:
            self.keeper.drop(self._me)
            with suppress(DatabaseError, TimeoutError):
                await asyncio.wait_for(pool.write(leases.remove, self._me.lease, self._me.fence), CANCEL_SECONDS)

    def close(self) -> None:
        """End the threads, once `run` has returned and nothing is left."""
        self.keeper.close()
        self._task_thread.shutdown(wait=True)
