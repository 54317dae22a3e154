"""Renewing leases for real: short lives, real connections, a database that is really in trouble."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from threading import Event, Thread
from time import monotonic

import pytest
from django.db import connection, transaction
from django.db.models import F

from lensproject.core import leases, pool
from lensproject.core.jobs.keeper import Keeper
from lensproject.core.jobs.runs import Run
from lensproject.core.models import Lease

pytestmark = pytest.mark.usefixtures("cloned_database")

LIFE = 1.2


def until() -> datetime:
    return Lease.objects.get(name="job:chore").until


def take() -> Run:
    asked = monotonic()
    fence = leases.take("job:chore", "ann", LIFE)
    assert fence is not None
    return Run("job:chore", fence, asked)


@asynccontextmanager
async def keeping() -> AsyncIterator[tuple[Keeper, Run]]:
    """A keeper at work that holds one lease."""
    keeper = Keeper(LIFE)
    task = asyncio.create_task(keeper.keep())
    try:
        run = await pool.write(take)
        keeper.add(run)
        yield keeper, run
    finally:
        task.cancel()
        keeper.close()


async def eventually(true: Callable[[], bool], *, seconds: float = 10) -> None:
    deadline = monotonic() + seconds
    while not await pool.read(true):
        assert monotonic() < deadline, "it did not come"
        await asyncio.sleep(0.02)


def test_a_lease_outlives_its_life_while_it_is_kept() -> None:
    async def hold() -> tuple[datetime, bool, bool]:
        async with keeping() as (_, run):
            first = await pool.read(until)
            await eventually(lambda: until() > first + timedelta(seconds=LIFE))
            return first, await pool.read(leases.still_held, run.lease, run.fence), run.lost

    _, held, lost = asyncio.run(hold())
    assert (held, lost) == (True, False)


def test_a_lease_is_renewed_about_three_times_in_its_life() -> None:
    async def hold() -> int:
        async with keeping() as (_, run):
            seen = set()
            end = run.asked + 2 * LIFE
            while monotonic() < end:
                seen.add(await pool.read(until))
                await asyncio.sleep(0.02)
            return len(seen)

    # Its end, as it was taken and after each renewal, seen over two lives.
    assert 2 <= asyncio.run(hold()) <= 7


def test_a_dropped_lease_is_left_to_run_out() -> None:
    async def hold() -> tuple[datetime, datetime]:
        async with keeping() as (keeper, run):
            first = await pool.read(until)
            keeper.drop(run)
            await eventually(lambda: not leases.still_held(run.lease, run.fence))
            return first, await pool.read(until)

    first, last = asyncio.run(hold())
    assert first == last


def test_who_lost_a_lease_is_told_and_its_flow_is_cancelled(caplog: pytest.LogCaptureFixture) -> None:
    def take_over() -> None:
        Lease.objects.update(holder="bob", fence=F("fence") + 1)

    async def hold() -> tuple[bool, bool, bool]:
        async with keeping() as (_, run):
            run.flow = asyncio.create_task(asyncio.sleep(3600))
            await pool.write(take_over)
            await eventually(lambda: run.lost)
            await asyncio.wait([run.flow], timeout=5)
            return run.lost, run.stop.is_set(), run.flow.cancelled()

    assert asyncio.run(hold()) == (True, True, True)
    assert Lease.objects.get().holder == "bob"
    assert "lease lost" in caplog.text


def rename(old: str, new: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE {old} RENAME TO {new}")


def test_a_short_trouble_of_the_database_is_got_over(caplog: pytest.LogCaptureFixture) -> None:
    async def hold() -> tuple[bool, bool]:
        async with keeping() as (_, run):
            await pool.write(rename, "core_lease", "core_away")
            await eventually(lambda: "lease not renewed" in caplog.text)
            await pool.write(rename, "core_away", "core_lease")
            back = await pool.read(until)
            await eventually(lambda: until() > back)
            return run.lost, await pool.read(leases.still_held, run.lease, run.fence)

    assert asyncio.run(hold()) == (False, True)


def test_a_lease_counts_as_lost_when_it_could_not_be_renewed_before_its_end(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def hold() -> float:
        async with keeping() as (_, run):
            await pool.write(rename, "core_lease", "core_away")
            await eventually(lambda: run.lost)
            return monotonic() - run.asked

    assert LIFE <= asyncio.run(hold()) < 3 * LIFE
    assert "lease lost" in caplog.text


def test_a_renewal_that_hangs_does_not_keep_the_loss_from_being_noticed() -> None:
    """Another transaction holds the row (on SQLite: the database) for longer than the lease lives."""
    locked, enough = Event(), Event()

    def hold_the_row() -> None:
        try:
            with transaction.atomic():
                Lease.objects.update(failures=1)
                locked.set()
                enough.wait(30)
        finally:
            connection.close()

    async def hold() -> bool:
        async with keeping() as (_, run):
            thread = Thread(target=hold_the_row)
            thread.start()
            try:
                await eventually(lambda: locked.is_set())
                await eventually(lambda: run.lost)
            finally:
                enough.set()
                thread.join()
            return run.lost

    assert asyncio.run(hold())


def test_whatever_begins_after_the_end_was_announced_is_told_at_once() -> None:
    async def hold() -> tuple[bool, bool]:
        async with keeping() as (keeper, run):
            keeper.stop_all()
            late = Run("job:late", 1, monotonic())
            with keeper.holding(late):
                return run.stop.is_set(), late.stop.is_set()

    assert asyncio.run(hold()) == (True, True)
