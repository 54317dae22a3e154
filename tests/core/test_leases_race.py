"""Leases between real threads with connections of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from typing import TypeVar

import pytest
from django.db import connection, transaction

from lensproject.core import leases
from lensproject.core.models import Lease
from tests.databases import Database

T = TypeVar("T")

THREADS = 4


def at_once(*steps: Callable[[], T]) -> Sequence[T]:
    """Run the steps in a thread each, all starting at the same moment."""
    barrier = Barrier(len(steps))

    def run(step: Callable[[], T]) -> T:
        try:
            barrier.wait(10)
            return step()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(steps)) as threads:
        return list(threads.map(run, steps))


def takers(name: str) -> list[Callable[[], int | None]]:
    return [lambda holder=f"holder-{number}": leases.take(name, holder, 30) for number in range(THREADS)]  # type: ignore[misc]


@pytest.mark.parametrize("attempt", range(5))
def test_one_of_many_makes_and_takes_a_lease_that_has_no_row(cloned_database: Database, attempt: int) -> None:
    fences = at_once(*takers("fresh"))
    assert sorted(fences, key=str) == [1, None, None, None]
    assert Lease.objects.get().holder == f"holder-{fences.index(1)}"


@pytest.mark.parametrize("attempt", range(5))
def test_one_of_many_takes_over_a_lease_that_ran_out(cloned_database: Database, attempt: int) -> None:
    leases.take("old", "gone", 0)
    fences = at_once(*takers("old"))
    assert sorted(fences, key=str) == [2, None, None, None]
    assert Lease.objects.get().holder == f"holder-{fences.index(2)}"


def test_a_renewal_and_a_take_over_at_once_never_both_succeed(cloned_database: Database) -> None:
    for _ in range(10):
        fence = leases.take("contested", "ann", 0)
        assert fence is not None
        renewed, taken = at_once(
            lambda fence=fence: leases.renew("contested", fence, 30),  # type: ignore[misc]
            lambda: leases.take("contested", "bob", 30),
        )
        assert bool(renewed) is not bool(taken)
        leases.release("contested", int(taken or fence))


def test_a_fence_checked_in_a_transaction_holds_until_it_ends(cloned_database: Database) -> None:
    """The lease runs out in the middle of the holder's transaction; the take-over waits for its end."""
    fence = leases.take("guarded", "ann", 1)
    assert fence is not None
    checked, order = Event(), []

    def write_under_the_lease() -> None:
        with transaction.atomic():
            assert leases.still_held("guarded", fence)
            checked.set()
            Event().wait(1.2)
            order.append("written")

    def take_over() -> None:
        assert checked.wait(10)
        while leases.take("guarded", "bob", 30) is None:
            Event().wait(0.01)
        order.append("taken over")

    at_once(write_under_the_lease, take_over)
    assert order == ["written", "taken over"]
