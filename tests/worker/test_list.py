"""`manage.py worker --list`, in this process: it only looks."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from lensproject.core import clock, leases
from lensproject.core.jobs import every, registry
from lensproject.core.models import Lease
from tests.core.chores import rename
from tests.databases import Database

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def look() -> None: ...


@pytest.fixture(autouse=True)
def three_jobs(cloned_database: Database) -> Iterator[None]:
    # First, so that the command finds no job that it did not know: modules register their jobs when they are imported.
    registry.discover()
    with registry.scratch(), clock.frozen(NOON):
        for name, seconds in (("a.new", 0.5), ("b.running", 10), ("c.waiting", 3600)):
            every(seconds, name=name)(look)
        leases.take("job:b.running", "machine-17-5e5e5e5e", 30)
        fence = leases.take("job:c.waiting", "machine-17-5e5e5e5e", 30) or 0
        leases.release("job:c.waiting", fence, free_from=NOON + timedelta(seconds=90))
        yield


def listed(at: datetime) -> list[str]:
    printed = StringIO()
    with clock.frozen(at):
        call_command("worker", "--list", stdout=printed)
    return printed.getvalue().splitlines()


def test_each_job_is_shown_with_when_it_is_due_and_who_runs_it() -> None:
    before = list(Lease.objects.order_by("name").values())
    assert listed(NOON) == [
        "job        seconds  next due                  holder",
        "a.new      0.5      now                       -",
        "b.running  10       running                   machine-17-5e5e5e5e",
        "c.waiting  3600     2026-11-30T12:01:30.000Z  -",
    ]
    assert list(Lease.objects.order_by("name").values()) == before


def test_a_job_whose_worker_died_is_due_when_the_lease_has_run_out() -> None:
    assert listed(NOON + timedelta(seconds=30))[2] == "b.running  10       now                       -"


def test_a_database_without_tables_is_said() -> None:
    rename("core_lease", "core_away")
    with pytest.raises(CommandError, match=r"^The database cannot be used: "):
        call_command("worker", "--list", stdout=StringIO())


def test_once_and_list_exclude_each_other() -> None:
    with pytest.raises(CommandError, match="not allowed with argument"):
        call_command("worker", "--once", "--list")
