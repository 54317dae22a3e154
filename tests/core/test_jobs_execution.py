"""One run of a job, with real commits and threads."""

from __future__ import annotations

import asyncio
import logging
import threading
import traceback
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import F

from lensproject.core import clock, leases
from lensproject.core.jobs import Interrupted, checkpoint, current, execution, stopping
from lensproject.core.jobs.execution import Outcome
from lensproject.core.jobs.keeper import Keeper
from lensproject.core.jobs.registry import Job
from lensproject.core.models import Lease
from tests.databases import Database

pytestmark = pytest.mark.usefixtures("cloned_database")

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
LEASE = "job:chore"


def after(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def chore(function: Callable[[], Any], *, seconds: float = 10, limit: float = 600) -> Job:
    return Job("chore", seconds, function, limit=limit)


begun = threading.Event()


async def wait_for_ever() -> None:
    begun.set()
    await asyncio.sleep(3600)


def run(job: Job, *, at: datetime = NOON) -> Outcome | None:
    """Run the job once as the worker `ann`, who renews nothing because her clock stands still."""
    keeper = Keeper(30)
    with clock.frozen(at):
        outcome = asyncio.run(execution.run(job, "ann", keeper))
    keeper.close()
    return outcome


def run_kept(job: Job, meanwhile: Callable[[Keeper], None], *, seconds: float = 0.6) -> Outcome | None:
    """Run the job with a keeper that renews; `meanwhile` is called once the job is on its way."""

    async def both() -> Outcome | None:
        keeper = Keeper(seconds)
        keeping = asyncio.create_task(keeper.keep())
        running = asyncio.create_task(execution.run(job, "ann", keeper))
        assert await asyncio.to_thread(begun.wait, 10)
        await asyncio.to_thread(meanwhile, keeper)
        outcome = await asyncio.wait_for(running, 20)
        keeping.cancel()
        keeper.close()
        return outcome

    begun.clear()
    return asyncio.run(both())


def lines(caplog: pytest.LogCaptureFixture) -> list[tuple[str, dict[str, Any]]]:
    """What was logged of jobs: level and facts, without the seconds, which differ."""
    facts = [(r.levelname, r.msg) for r in caplog.records if isinstance(r.msg, dict) and r.msg["event"] == "job"]
    names = ("job", "outcome", "did")
    return [(level, {name: found[name] for name in names if name in found}) for level, found in facts]


def last(caplog: pytest.LogCaptureFixture) -> dict[str, Any]:
    facts: Any = caplog.records[-1].msg
    return dict(facts)


def test_a_job_that_ran_is_due_a_period_after_its_start() -> None:
    assert run(chore(lambda: None)) is Outcome.DONE
    lease = Lease.objects.get()
    assert (lease.name, lease.holder, lease.until, lease.fence, lease.failures) == (LEASE, "", after(10), 1, 0)


def test_one_line_says_what_a_run_did(caplog: pytest.LogCaptureFixture) -> None:
    run(chore(lambda: 3))
    assert lines(caplog) == [("INFO", {"job": "chore", "outcome": "done", "did": 3})]
    assert 0 <= last(caplog)["seconds"] < 5


def test_a_run_that_had_nothing_to_do_is_not_worth_a_line(caplog: pytest.LogCaptureFixture) -> None:
    run(chore(lambda: 0))
    assert lines(caplog) == []
    caplog.set_level(logging.DEBUG)
    run(chore(lambda: 0), at=after(10))
    assert lines(caplog) == [("DEBUG", {"job": "chore", "outcome": "done", "did": 0})]


def test_a_job_that_is_not_due_is_not_run() -> None:
    ran: list[str] = []
    assert run(chore(lambda: ran.append("x"))) is Outcome.DONE
    assert run(chore(lambda: ran.append("y")), at=after(9.9)) is None
    assert ran == ["x"]
    assert run(chore(lambda: ran.append("z")), at=after(10)) is Outcome.DONE
    assert ran == ["x", "z"]


def test_a_job_that_another_worker_runs_is_not_run() -> None:
    ran: list[str] = []
    with clock.frozen(NOON):
        leases.take(LEASE, "bob", 30)
    assert run(chore(lambda: ran.append("x"))) is None
    assert ran == []
    assert Lease.objects.get().holder == "bob"


def test_a_sync_job_runs_in_a_thread_of_the_pool_with_a_connection_of_its_own() -> None:
    seen: list[Any] = []

    def look() -> None:
        Lease.objects.count()
        seen.extend((threading.current_thread().name.rpartition("_")[0], connection.connection))

    Lease.objects.count()
    run(chore(look))
    assert seen[0] == ("pool-writes" if connection.vendor == "sqlite" else "pool-reads")
    assert seen[1] is not connection.connection


def test_an_async_job_runs_on_the_event_loop() -> None:
    seen: list[Any] = []

    async def flow() -> int:
        seen.extend((threading.current_thread(), asyncio.get_running_loop().is_running()))
        return 2

    assert run(chore(flow)) is Outcome.DONE
    assert seen == [threading.main_thread(), True]


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_a_job_that_raises_is_logged_with_its_traceback_and_tried_later_and_later(
    caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    def broken() -> None:
        raise LookupError("nothing there")

    async def broken_flow() -> None:
        broken()

    job = chore(broken if kind == "sync" else broken_flow)
    for failures, (start, pause) in enumerate([(0, 10), (10, 20), (30, 40)], 1):
        assert run(job, at=after(start)) is Outcome.FAILED
        lease = Lease.objects.get()
        assert (lease.holder, lease.until, lease.failures) == ("", after(start + pause), failures)
    assert lines(caplog) == [("ERROR", {"job": "chore", "outcome": "failed"})] * 3
    assert traceback.extract_tb(last(caplog)["exc_info"].__traceback__)[-1].name == "broken"


def test_a_success_ends_the_back_off() -> None:
    def broken() -> None:
        raise LookupError

    run(chore(broken))
    run(chore(broken), at=after(10))
    assert run(chore(lambda: None), at=after(30)) is Outcome.DONE
    lease = Lease.objects.get()
    assert (lease.until, lease.failures) == (after(40), 0)


def test_an_async_job_is_cancelled_at_its_limit_and_counts_as_failed(caplog: pytest.LogCaptureFixture) -> None:
    assert run(chore(wait_for_ever, limit=0.05)) is Outcome.TIMED_OUT
    lease = Lease.objects.get()
    assert (lease.holder, lease.until, lease.failures) == ("", after(10), 1)
    assert lines(caplog) == [("ERROR", {"job": "chore", "outcome": "timed out"})]
    assert "cancelled after its limit of 0.05 s" in caplog.text


def test_an_async_job_that_cancels_itself_has_failed() -> None:
    async def confused() -> None:
        raise asyncio.CancelledError

    assert run(chore(confused)) is Outcome.FAILED


def test_a_job_that_interrupts_itself_has_failed_so_that_it_is_not_due_at_once() -> None:
    def confused() -> None:
        raise Interrupted

    assert run(chore(confused)) is Outcome.FAILED
    assert Lease.objects.get().until == after(10)


def test_an_async_job_may_finish_what_it_does_when_it_is_cancelled() -> None:
    async def tidy() -> int:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            return 1
        return 0

    assert run(chore(tidy, limit=0.05)) is Outcome.DONE


def test_a_job_knows_its_run() -> None:
    seen: list[Any] = []

    def look() -> None:
        held = current()
        assert held is not None
        seen.extend((held.lease, held.fence, leases.still_held(held.lease, held.fence), stopping()))

    run(chore(look))
    assert seen == [LEASE, 1, True, False]
    assert current() is None


def test_a_flow_that_the_worker_cancels_is_due_at_once_and_no_failure(caplog: pytest.LogCaptureFixture) -> None:
    before = clock.now()
    assert run_kept(chore(wait_for_ever), Keeper.cancel_all) is Outcome.STOPPED
    lease = Lease.objects.get()
    assert (lease.holder, lease.failures) == ("", 0)
    assert before < lease.until <= clock.now()
    assert lines(caplog) == [("WARNING", {"job": "chore", "outcome": "stopped"})]


def test_a_sync_job_that_asks_stops_when_the_worker_is_to_end() -> None:
    def patient() -> None:
        begun.set()
        while not stopping():
            threading.Event().wait(0.01)

    assert run_kept(chore(patient), Keeper.stop_all) is Outcome.STOPPED
    assert Lease.objects.get().holder == ""


def test_a_sync_job_may_be_interrupted_at_a_checkpoint(caplog: pytest.LogCaptureFixture) -> None:
    def long() -> None:
        begun.set()
        while True:
            checkpoint()
            threading.Event().wait(0.01)

    assert run_kept(chore(long), Keeper.stop_all) is Outcome.STOPPED
    assert lines(caplog) == [("WARNING", {"job": "chore", "outcome": "stopped"})]
    lease = Lease.objects.get()
    assert (lease.holder, lease.failures) == ("", 0)


def test_a_flow_whose_lease_was_taken_over_is_cancelled_and_changes_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def take_over(keeper: Keeper) -> None:
        Lease.objects.update(holder="bob", fence=F("fence") + 1, until=after(3600))
        connection.close()

    assert run_kept(chore(wait_for_ever), take_over) is Outcome.LOST
    lease = Lease.objects.get()
    assert (lease.holder, lease.fence, lease.until) == ("bob", 2, after(3600))
    assert lines(caplog) == [("WARNING", {"job": "chore", "outcome": "lost"})]


def test_a_run_that_never_noticed_its_loss_changes_nothing_either() -> None:
    def slow() -> None:
        Lease.objects.update(holder="bob", fence=F("fence") + 1, until=after(3600))

    run(chore(slow))
    lease = Lease.objects.get()
    assert (lease.holder, lease.fence, lease.until) == ("bob", 2, after(3600))


def test_a_worker_that_ends_starts_no_job_that_it_was_about_to(cloned_database: Database) -> None:
    ran: list[str] = []

    async def late() -> Outcome | None:
        keeper = Keeper(30)
        keeper.stop_all()
        outcome = await execution.run(chore(lambda: ran.append("x")), "ann", keeper)
        keeper.close()
        return outcome

    assert asyncio.run(late()) is Outcome.STOPPED
    assert (ran, Lease.objects.get().holder) == ([], "")
