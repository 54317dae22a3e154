from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from lensproject.core import clock, leases
from lensproject.core.models import Lease

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def after(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def row(name: str = "fold") -> tuple[str, datetime, int]:
    lease = Lease.objects.get(name=name)
    return lease.holder, lease.until, lease.fence


def test_the_first_to_take_a_lease_makes_its_row() -> None:
    with clock.frozen(NOON):
        assert leases.take("fold", "ann", 30) == 1
    assert row() == ("ann", after(30), 1)


def test_a_held_lease_is_refused_and_stays_as_it_was() -> None:
    with clock.frozen(NOON):
        leases.take("fold", "ann", 30)
    with clock.frozen(after(29.9)):
        assert leases.take("fold", "bob", 30) is None
    assert row() == ("ann", after(30), 1)


def test_not_even_its_holder_takes_a_lease_twice() -> None:
    with clock.frozen(NOON):
        assert leases.take("fold", "ann", 30) == 1
        assert leases.take("fold", "ann", 30) is None


def test_a_refused_take_writes_nothing() -> None:
    with clock.frozen(NOON):
        leases.take("fold", "ann", 30)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            leases.take("fold", "bob", 30)
    assert [query["sql"].split()[0] for query in queries] == ["SELECT", "SELECT"]


def test_a_lease_that_ran_out_is_taken_over_with_a_higher_fence() -> None:
    with clock.frozen(NOON):
        leases.take("fold", "ann", 30)
    with clock.frozen(after(30)):
        assert leases.take("fold", "bob", 30) == 2
    assert row() == ("bob", after(60), 2)


def test_names_are_independent() -> None:
    with clock.frozen(NOON):
        assert leases.take("fold", "ann", 30) == 1
        assert leases.take("probe", "bob", 30) == 1


def test_renewing_moves_the_end_and_keeps_the_fence() -> None:
    with clock.frozen(NOON):
        leases.take("fold", "ann", 30)
    with clock.frozen(after(10)):
        assert leases.renew("fold", 1, 30)
    assert row() == ("ann", after(40), 1)


def test_a_lease_that_ran_out_can_be_renewed_while_nobody_took_it() -> None:
    with clock.frozen(NOON):
        leases.take("fold", "ann", 30)
    with clock.frozen(after(100)):
        assert not leases.still_held("fold", 1)
        assert leases.renew("fold", 1, 30)
        assert leases.still_held("fold", 1)


@pytest.mark.parametrize(
    "late",
    [
        lambda: leases.renew("fold", 1, 30),
        lambda: leases.release("fold", 1),
        lambda: leases.remove("fold", 1),
        lambda: leases.still_held("fold", 1),
    ],
    ids=["renew", "release", "remove", "still_held"],
)
def test_who_lost_a_lease_changes_nothing_with_the_old_fence(late: Callable[[], bool]) -> None:
    with clock.frozen(NOON):
        leases.take("fold", "ann", 30)
    with clock.frozen(after(31)):
        leases.take("fold", "bob", 30)
        assert late() is False
    assert row() == ("bob", after(61), 2)


def test_a_released_lease_is_free_at_once() -> None:
    with clock.frozen(NOON):
        leases.take("fold", "ann", 30)
        assert leases.release("fold", 1)
        assert row() == ("", NOON, 1)
        assert leases.take("fold", "bob", 30) == 2


def test_a_lease_released_for_later_is_free_only_then() -> None:
    with clock.frozen(NOON):
        leases.take("fold", "ann", 30)
        leases.release("fold", 1, free_from=after(10))
    with clock.frozen(after(9)):
        assert leases.take("fold", "bob", 30) is None
    with clock.frozen(after(10)):
        assert leases.take("fold", "bob", 30) == 2


def test_a_released_lease_is_neither_held_nor_renewed_nor_released_again() -> None:
    with clock.frozen(NOON):
        leases.take("fold", "ann", 30)
        leases.release("fold", 1, free_from=after(10))
        assert not leases.still_held("fold", 1)
        assert not leases.renew("fold", 1, 30)
        assert not leases.release("fold", 1)
    assert row() == ("", after(10), 1)


def test_failures_are_written_when_they_are_told() -> None:
    with clock.frozen(NOON):
        leases.release("fold", leases.take("fold", "ann", 30) or 0, failures=3)
        assert Lease.objects.get().failures == 3
        leases.release("fold", leases.take("fold", "ann", 30) or 0)
        assert Lease.objects.get().failures == 3
        leases.release("fold", leases.take("fold", "ann", 30) or 0, failures=0)
        assert Lease.objects.get().failures == 0


def test_a_removed_lease_leaves_no_row() -> None:
    with clock.frozen(NOON):
        leases.take("worker:1", "ann", 30)
        assert leases.remove("worker:1", 1)
    assert not Lease.objects.exists()


def test_holding_is_over_at_the_moment_it_ends() -> None:
    with clock.frozen(NOON):
        leases.take("fold", "ann", 30)
    with clock.frozen(after(29.999)):
        assert leases.still_held("fold", 1)
    with clock.frozen(after(30)):
        assert not leases.still_held("fold", 1)


def test_a_lease_from_a_clock_that_was_years_ahead_does_not_stop_the_work() -> None:
    with clock.frozen(NOON + timedelta(days=3650)):
        leases.take("fold", "ann", 30)
    with clock.frozen(NOON):
        assert leases.take("fold", "bob", 30) == 2
    assert row() == ("bob", after(30), 2)


def test_a_lease_that_is_rightly_free_much_later_is_left_alone() -> None:
    with clock.frozen(NOON):
        leases.take("daily", "ann", 30)
        leases.release("daily", 1, free_from=after(86_400))
        assert leases.take("daily", "bob", 30, horizon=86_400) is None
        assert leases.take("daily", "bob", 30, horizon=86_399) == 2


def test_a_longer_life_than_the_horizon_is_not_taken_for_a_wrong_clock() -> None:
    with clock.frozen(NOON):
        leases.take("import", "ann", 7200)
        assert leases.take("import", "bob", 7200) is None


@pytest.mark.parametrize(
    ("wrong", "constraint"),
    [
        ({"name": "taken"}, "core_lease_name_once"),
        ({"name": ""}, "core_lease_name_given"),
        ({"name": "other", "fence": -1}, "core_lease_fence_not_negative"),
        ({"name": "other", "failures": -1}, "failures"),
    ],
    ids=["name twice", "no name", "fence below zero", "failures below zero"],
)
def test_the_database_refuses(wrong: dict[str, object], constraint: str) -> None:
    Lease.objects.create(name="taken", until=NOON)
    with pytest.raises(IntegrityError) as refused, transaction.atomic():
        Lease.objects.bulk_create([Lease(until=NOON, **wrong)])
    # SQLite names the columns of a unique constraint, not the constraint.
    assert constraint in str(refused.value) or "core_lease.name" in str(refused.value)
    assert Lease.objects.count() == 1
