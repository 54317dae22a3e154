from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Iterator

import pytest
from asgiref.sync import async_to_sync
from django.db import connection, transaction
from pytest_django import Settings

from lensproject.core import clock, pool
from lensproject.core.models import Lease
from tests.databases import Database

word: contextvars.ContextVar[str] = contextvars.ContextVar("word", default="none")


@pytest.fixture
def threads(settings: Settings) -> Iterator[None]:
    """Steps run in the pool's own threads, as in a server."""
    settings.POOL_IN_THE_TEST_THREAD = False
    settings.POOL_THREADS = 3
    pool.close()
    yield
    pool.close()


def test_a_step_gets_its_arguments_and_gives_its_result(threads: None) -> None:
    def step(left: int, *, right: int) -> int:
        return left - right

    assert asyncio.run(pool.read(step, 5, right=3)) == 2


def test_a_step_does_not_hold_up_the_loop(threads: None) -> None:
    async def run() -> bool:
        release = threading.Event()
        waiting = asyncio.create_task(pool.read(release.wait, 20))
        await asyncio.sleep(0)
        release.set()
        return await waiting

    assert asyncio.run(run()) is True


def test_an_error_of_a_step_is_the_callers(threads: None) -> None:
    def step() -> None:
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        asyncio.run(pool.read(step))


def test_a_step_sees_the_context_of_who_asked(threads: None) -> None:
    async def run() -> str:
        word.set("asked")
        return await pool.read(word.get)

    assert asyncio.run(run()) == "asked"
    assert word.get() == "none"


def test_so_many_steps_at_once_and_no_more(threads: None) -> None:
    barrier = threading.Barrier(3)
    running, most = set[int](), [0]
    lock = threading.Lock()

    def step() -> None:
        with lock:
            running.add(threading.get_ident())
            most[0] = max(most[0], len(running))
        barrier.wait(20)
        with lock:
            running.discard(threading.get_ident())
        barrier.wait(20)

    async def run() -> None:
        await asyncio.gather(*(pool.read(step) for _ in range(6)))

    asyncio.run(run())
    assert most == [3]


def test_on_sqlite_one_thread_writes(cloned_database: Database) -> None:
    async def run() -> list[str]:
        return await asyncio.gather(*(pool.write(lambda: threading.current_thread().name) for _ in range(8)))

    names = set(asyncio.run(run()))
    if connection.vendor == "sqlite":
        assert len(names) == 1
        assert names.pop().startswith("pool-writes")
    else:
        assert all(name.startswith("pool-reads") for name in names)


def test_steps_commit_and_leave_no_connection_behind(cloned_database: Database) -> None:
    def write(name: str) -> None:
        with transaction.atomic():
            Lease.objects.create(until=clock.now(), name=name)

    def is_connected() -> bool:
        return connection.connection is not None

    async def run() -> list[bool]:
        await asyncio.gather(*(pool.write(write, f"g{number}") for number in range(10)))
        return await asyncio.gather(*(pool.read(is_connected) for _ in range(10)))

    assert asyncio.run(run()) == [False] * 10
    assert Lease.objects.count() == 10


def test_a_step_that_fails_in_a_transaction_writes_nothing(cloned_database: Database) -> None:
    def write() -> None:
        with transaction.atomic():
            Lease.objects.create(until=clock.now(), name="gone")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        asyncio.run(pool.write(write))
    assert not Lease.objects.exists()


@pytest.mark.django_db
def test_in_a_test_steps_see_the_tests_transaction() -> None:
    Lease.objects.create(until=clock.now(), name="seen")
    assert async_to_sync(pool.read)(Lease.objects.count) == 1


def test_a_closed_pool_starts_anew(threads: None) -> None:
    first = asyncio.run(pool.read(threading.get_ident))
    pool.close()
    assert not any(thread.name.startswith("pool-reads") for thread in threading.enumerate())
    assert isinstance(asyncio.run(pool.read(threading.get_ident)), int)
    assert isinstance(first, int)
