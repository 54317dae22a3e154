from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from pytest_django import DjangoAssertNumQueries

from lensproject.core import clock, leases
from lensproject.core.jobs import schedule
from lensproject.core.jobs.registry import Job
from lensproject.core.jobs.schedule import Entry

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def after(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


def job(name: str = "fold", seconds: float = 10) -> Job:
    return Job(name, seconds, lambda: None)


@pytest.mark.parametrize(
    ("took", "due"), [(0, 10), (3, 10), (10, 10), (10.1, 20), (25, 30), (30, 30)], ids=lambda value: f"{value:g}s"
)
def test_a_job_is_due_a_whole_number_of_periods_after_its_start(took: float, due: float) -> None:
    assert schedule.next_tick(NOON, after(took), 10) == after(due)


@pytest.mark.parametrize(
    ("failures", "pause"), [(1, 10), (2, 20), (3, 40), (6, 320), (7, 600), (50, 600), (10_000, 600)]
)
def test_a_failing_job_is_tried_later_and_later_up_to_ten_minutes(failures: int, pause: float) -> None:
    assert schedule.pause_after(failures, 10) == pause


@pytest.mark.parametrize("failures", [1, 2, 9])
def test_a_job_with_a_long_period_is_tried_at_its_next_tick(failures: int) -> None:
    assert schedule.pause_after(failures, 3600) == 3600


def test_a_job_that_never_ran_is_due() -> None:
    assert Entry(job()).is_due(NOON)


@pytest.mark.parametrize(("until", "due"), [(-1, True), (0, True), (0.1, False), (3600, False), (3601, True)])
def test_a_job_is_due_when_its_lease_is_free_or_says_an_impossible_time(until: float, due: bool) -> None:
    assert Entry(job(), after(until)).is_due(NOON) is due


def test_a_day_is_a_possible_time_for_a_daily_job() -> None:
    assert not Entry(job(seconds=86_400), after(86_400)).is_due(NOON)
    assert Entry(job(seconds=86_400), after(86_401)).is_due(NOON)


@pytest.mark.parametrize(
    ("untils", "wait"),
    [
        ([4.0, 7.0], 4.0),
        ([None, 7.0], 7.0),
        ([0.001], 0.02),
        ([-5.0], 10.0),
        ([600.0], 10.0),
        ([], 600.0),
    ],
    ids=["the earliest", "never ran", "not too often", "due now", "at least once a period", "no jobs"],
)
def test_the_next_look_is_when_something_may_be_due(untils: list[float | None], wait: float) -> None:
    entries = [Entry(job(), None if until is None else after(until)) for until in untils]
    assert schedule.next_look(entries, NOON) == pytest.approx(wait)


@pytest.mark.django_db
def test_the_timetable_has_every_job_with_its_lease_in_one_query(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    jobs = [job("fresh"), job("held"), job("waiting")]
    with clock.frozen(NOON):
        leases.take("job:held", "ann", 30)
        fence = leases.take("job:waiting", "bob", 30) or 0
        leases.release("job:waiting", fence, free_from=after(20), failures=1)
        leases.take("job:not asked for", "ann", 30)
    with django_assert_num_queries(1):
        entries = schedule.timetable(jobs)
    assert entries == [
        Entry(jobs[0]),
        Entry(jobs[1], after(30), "ann", 0),
        Entry(jobs[2], after(20), "", 1),
    ]
