from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django_tasks_db.models import DBTaskResult

from lensproject.core import clock, leases
from lensproject.core.jobs import orphans, registry, tasks
from lensproject.core.jobs.repeatable import is_repeatable
from lensproject.core.models import Lease
from tests.core import chores

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
REPEATABLE = "tests.core.chores.add"
NOT_REPEATABLE = "tests.core.chores.divide"


def running(path: str, *workers: str) -> Any:
    """A task that the last of the workers claimed."""
    row: Any = DBTaskResult.objects.get(pk=chores.add.enqueue(2, 3).id)
    row.task_path = path
    for worker in workers:
        row.claim(worker)
    row.save()
    return row


def again(row: Any) -> Any:
    return DBTaskResult.objects.get(pk=row.pk)


def alive(worker: str, *, at: datetime = NOON) -> None:
    with clock.frozen(at):
        assert leases.take(f"worker:{worker}", worker, 30) == 1


def look(at: datetime = NOON) -> int:
    with clock.frozen(at):
        return orphans.put_back_tasks()


def test_a_task_of_a_worker_that_lives_is_left_alone() -> None:
    row = running(REPEATABLE, "ann")
    alive("ann")
    assert look(NOON + timedelta(seconds=29)) == 0
    assert (again(row).status, again(row).worker_ids) == ("RUNNING", ["ann"])


def test_a_repeatable_task_of_a_dead_worker_is_ready_again() -> None:
    row = running(REPEATABLE, "ann")
    assert look() == 1
    row = again(row)
    assert (row.status, row.worker_ids, row.started_at) == ("READY", ["ann"], None)
    assert tasks.any_ready()


def test_another_task_of_a_dead_worker_has_failed_and_says_why() -> None:
    row = running(NOT_REPEATABLE, "ann")
    assert look() == 1
    row = again(row)
    assert (row.status, row.finished_at) == ("FAILED", NOON)
    assert row.traceback == (
        "The worker ann ended in the middle of this task. "
        "It is not marked repeatable: look at what it has done, then start it again."
    )
    assert row.task_result.errors[0].exception_class is orphans.WorkerDied
    assert not tasks.any_ready()


def test_a_task_that_is_no_longer_in_the_code_has_failed() -> None:
    row = running("tests.core.gone.add", "ann")
    assert look() == 1
    assert again(row).status == "FAILED"


def test_a_task_that_ended_five_workers_is_not_given_to_a_sixth() -> None:
    four, five = running(REPEATABLE, *"abcd"), running(REPEATABLE, *"abcde")
    assert look() == 2
    assert again(four).status == "READY"
    assert again(five).status == "FAILED"
    assert again(five).traceback == (
        "The worker e ended in the middle of this task. That was attempt 5, and there is no further one."
    )


def test_a_worker_whose_lease_ran_out_is_dead_and_cannot_come_back() -> None:
    row = running(REPEATABLE, "ann")
    alive("ann")
    with clock.frozen(NOON + timedelta(seconds=30)):
        assert orphans.put_back_tasks() == 1
        assert not leases.renew("worker:ann", 1, 30)
    assert again(row).status == "READY"
    assert not Lease.objects.exists()


def test_only_the_last_worker_of_a_task_counts() -> None:
    once, now = running(REPEATABLE, "ann", "bob"), running(REPEATABLE, "bob", "ann")
    alive("ann")
    assert look() == 1
    assert (again(once).status, again(now).status) == ("READY", "RUNNING")


@pytest.mark.parametrize("status", ["READY", "SUCCESSFUL", "FAILED"])
def test_a_task_that_does_not_run_is_left_alone(status: str) -> None:
    row = running(REPEATABLE, "ann")
    DBTaskResult.objects.update(status=status)
    assert look() == 0
    assert again(row).status == status


def test_a_lease_of_a_job_is_no_sign_of_a_worker() -> None:
    row = running(REPEATABLE, "ann")
    with clock.frozen(NOON):
        leases.take("job:ann", "ann", 30)
    assert look() == 1
    assert again(row).status == "READY"
    assert Lease.objects.get().name == "job:ann"


def test_looking_writes_nothing_when_nothing_is_to_be_done() -> None:
    running(REPEATABLE, "ann")
    alive("ann")
    with CaptureQueriesContext(connection) as queries:
        assert look() == 0
    assert {query["sql"].split()[0] for query in queries} == {"SELECT"}


def test_it_is_a_job_that_runs_three_times_in_the_life_of_a_lease() -> None:
    jobs = {job.name: job for job in registry.registered(connection.vendor)}
    job = jobs["core.put_back_tasks"]
    assert (job.function, job.period) == (orphans.put_back_tasks, 10)


def test_a_task_is_repeatable_only_when_it_is_marked() -> None:
    assert is_repeatable(REPEATABLE)
    assert not is_repeatable(NOT_REPEATABLE)
    assert not is_repeatable("tests.core.gone.add")
    assert not is_repeatable("no path")
