"""The worker in this process, on a database of its own. tests/worker has it as the process that it is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from threading import Event
from time import monotonic
from typing import Any

import pytest
from django.db import DatabaseError
from django_tasks_db.models import DBTaskResult

from lensproject.core import pool
from lensproject.core.jobs.registry import Job
from lensproject.core.jobs.worker import Worker, new_id
from lensproject.core.models import Lease
from tests.core import chores

pytestmark = pytest.mark.usefixtures("cloned_database")

Check = Callable[[], bool]


def job(name: str, function: Callable[[], Any], *, seconds: float = 0.05) -> Job:
    return Job(name, seconds, function)


def once(*jobs: Job) -> Worker:
    worker = Worker(jobs, lease_seconds=30)
    assert asyncio.run(worker.run(once=True)) == []
    worker.close()
    return worker


def work(*workers: Worker, until: Callable[[], Coroutine[Any, Any, None]]) -> list[list[str]]:
    """Let the workers work until the coroutine ends, then stop them. Returns what each left to its leases."""

    async def all_of_it() -> list[list[str]]:
        running = [asyncio.create_task(worker.run()) for worker in workers]
        try:
            await until()
        finally:
            for worker in workers:
                worker.stop()
            left = await asyncio.gather(*running)
        return left

    return asyncio.run(all_of_it())


async def eventually(true: Check, *, seconds: float = 20) -> None:
    """Wait until a question, asked in a thread of the pool, is answered with yes."""
    deadline = monotonic() + seconds
    while not await pool.read(true):
        assert monotonic() < deadline, "it did not come"
        await asyncio.sleep(0.02)


def close(*workers: Worker) -> None:
    for worker in workers:
        worker.close()


def statuses() -> list[str]:
    return [row.status for row in DBTaskResult.objects.order_by("enqueued_at")]


def test_ids_tell_workers_apart_and_fit_their_column() -> None:
    assert new_id() != new_id()
    assert len(new_id()) <= 64


def test_once_runs_what_is_due_and_what_is_queued_and_leaves_no_lease_of_its_own() -> None:
    ran: list[str] = []

    async def flow() -> None:
        ran.append("flow")

    for left in (1, 2):
        chores.add.enqueue(left, 0)
    once(job("a", lambda: ran.append("sync")), job("b", flow))
    assert sorted(ran) == ["flow", "sync"]
    assert statuses() == ["SUCCESSFUL", "SUCCESSFUL"]
    assert sorted(Lease.objects.values_list("name", "holder")) == [("job:a", ""), ("job:b", "")]


def test_once_leaves_alone_what_is_not_due() -> None:
    ran: list[str] = []
    hourly = job("hourly", lambda: ran.append("x"), seconds=3600)
    once(hourly)
    once(hourly)
    assert ran == ["x"]


def test_once_tells_which_jobs_failed_and_runs_the_others() -> None:
    ran: list[str] = []

    def broken() -> None:
        raise LookupError

    worker = once(job("a.broken", broken), job("b.good", lambda: ran.append("x")))
    assert (worker.failed, ran) == ({"a.broken"}, ["x"])


def test_once_says_that_the_database_cannot_be_used() -> None:
    chores.rename("core_lease", "core_away")
    worker = Worker([job("a", lambda: None)], lease_seconds=30)
    with pytest.raises(DatabaseError):
        asyncio.run(worker.run(once=True))
    worker.close()


def test_a_worker_runs_jobs_again_and_again_and_is_known_while_it_lives() -> None:
    ran: list[str] = []
    worker = Worker([job("often", lambda: ran.append("x"))], lease_seconds=30)

    async def three_times() -> None:
        await eventually(lambda: len(ran) >= 3)
        await eventually(lambda: Lease.objects.filter(name=f"worker:{worker.id}", holder=worker.id).exists())

    assert work(worker, until=three_times) == [[]]
    close(worker)
    assert list(Lease.objects.values_list("name", flat=True)) == ["job:often"]


def test_a_job_that_fails_stops_neither_the_worker_nor_other_jobs() -> None:
    ran: list[str] = []

    def broken() -> None:
        ran.append("broken")
        raise LookupError

    worker = Worker([job("broken", broken), job("good", lambda: ran.append("good"))], lease_seconds=30)

    async def both_twice() -> None:
        await eventually(lambda: min(ran.count("broken"), ran.count("good")) >= 2)

    work(worker, until=both_twice)
    close(worker)
    assert Lease.objects.get(name="job:broken").failures >= 2


def test_two_workers_share_a_job_and_never_run_it_at_once() -> None:
    at_once, most, runs = [0], [0], [0]

    async def exclusive() -> None:
        at_once[0] += 1
        most[0] = max(most[0], at_once[0])
        await asyncio.sleep(0.02)
        at_once[0] -= 1
        runs[0] += 1

    workers = [Worker([job("exclusive", exclusive)], lease_seconds=30) for _ in range(3)]

    async def many_runs() -> None:
        await eventually(lambda: runs[0] >= 12)

    work(*workers, until=many_runs)
    close(*workers)
    assert most == [1]
    # Every run had the lease to itself: none shares its fence with another.
    assert Lease.objects.get().fence == runs[0]


def test_tasks_are_run_as_they_are_enqueued_also_while_jobs_run() -> None:
    worker = Worker([job("often", lambda: None)], lease_seconds=30)

    async def two_tasks() -> None:
        for count in (1, 2):
            await pool.write(chores.add.enqueue, count, 0)
            await eventually(lambda count=count: statuses() == ["SUCCESSFUL"] * count)  # type: ignore[misc]

    work(worker, until=two_tasks)
    close(worker)


def test_a_worker_waits_for_a_database_in_trouble_and_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    ran: list[str] = []
    chores.rename("core_lease", "core_away")
    worker = Worker([job("often", lambda: ran.append("x"))], lease_seconds=30)

    async def trouble_then_work() -> None:
        await eventually(lambda: caplog.text.count("in trouble") >= 2)
        await pool.write(chores.rename, "core_away", "core_lease")
        await eventually(lambda: bool(ran))

    assert work(worker, until=trouble_then_work) == [[]]
    close(worker)


def test_a_worker_that_lost_its_lease_goes_on_under_a_new_id() -> None:
    worker = Worker([], lease_seconds=1)
    first = worker.id

    def bury() -> None:
        Lease.objects.filter(name=f"worker:{first}").delete()

    async def lose_it() -> None:
        await eventually(lambda: Lease.objects.filter(name=f"worker:{first}").exists())
        await pool.write(bury)
        await eventually(lambda: worker.id != first)
        await pool.write(chores.add.enqueue, 1, 1)
        await eventually(lambda: statuses() == ["SUCCESSFUL"])

    work(worker, until=lose_it)
    close(worker)
    row: Any = DBTaskResult.objects.get()
    assert row.worker_ids == [worker.id]
    assert not Lease.objects.exists()


def test_a_task_whose_outcome_cannot_be_written_down_becomes_an_orphan(caplog: pytest.LogCaptureFixture) -> None:
    """Else it would be RUNNING for ever, by a worker that lives and does not run it."""
    worker = Worker([], lease_seconds=30)
    first = worker.id

    async def break_it() -> None:
        await pool.write(chores.break_the_queue.enqueue)
        await eventually(lambda: "in trouble" in caplog.text)
        await pool.write(chores.rename, chores.AWAY, chores.TASKS)
        await eventually(lambda: worker.id != first)

    work(worker, until=break_it)
    close(worker)
    row: Any = DBTaskResult.objects.get()
    assert (row.status, row.worker_ids) == ("RUNNING", [first])
    # Nobody renews the old lease any more; it runs out, and the task is put back or failed then.
    assert list(Lease.objects.values_list("name", flat=True)) == [f"worker:{first}"]


def test_stopping_cancels_a_flow_which_is_then_due_at_once() -> None:
    begun, ended = Event(), Event()

    async def endless() -> None:
        begun.set()
        try:
            await asyncio.sleep(3600)
        finally:
            ended.set()

    worker = Worker([job("endless", endless, seconds=60)], lease_seconds=30)

    async def it_began() -> None:
        await eventually(begun.is_set)

    started = monotonic()
    assert work(worker, until=it_began) == [[]]
    assert monotonic() - started < 5
    close(worker)
    assert ended.is_set()
    lease = Lease.objects.get()
    assert (lease.holder, lease.failures) == ("", 0)


def test_what_cannot_be_stopped_is_left_to_its_lease() -> None:
    begun, enough, stopped_at = Event(), Event(), [0.0]

    def stubborn() -> None:
        begun.set()
        enough.wait(30)

    worker = Worker([job("stubborn", stubborn, seconds=60)], lease_seconds=30)

    async def it_began() -> None:
        await eventually(begun.is_set)
        stopped_at[0] = monotonic()

    try:
        assert work(worker, until=it_began) == [["stubborn"]]
        assert monotonic() - stopped_at[0] < 3
        assert Lease.objects.get(name="job:stubborn").holder == worker.id
    finally:
        enough.set()
        close(worker)
