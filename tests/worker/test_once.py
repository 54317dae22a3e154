"""`manage.py worker --once`, as cron runs it."""

from __future__ import annotations

import sys
from pathlib import Path

from django_tasks_db.models import DBTaskResult

from lensproject.core.models import Lease
from tests.core.chores import rename
from tests.databases import Database
from tests.servers import processes
from tests.worker.chores import tasks
from tests.worker.chores.marks import mark, marks
from tests.worker.conftest import StartWorker, environment


def finish(start_worker: StartWorker, *chores: str, arguments: tuple[str, ...]) -> tuple[int, str]:
    """Run the command to its end. Returns its status and what it printed and logged."""
    worker = start_worker(*chores, arguments=arguments)
    return worker.process.wait(30), worker.log.read_text()


def test_once_runs_what_is_due_and_queued_and_ends(start_worker: StartWorker) -> None:
    result = tasks.import_three.enqueue()
    mark(tasks.GO_ON)
    status, _ = finish(start_worker, "exclusive", arguments=("--once",))
    assert status == 0
    assert DBTaskResult.objects.get(pk=result.id).status == "SUCCESSFUL"
    assert len(marks("leave")) == 1
    assert not Lease.objects.exclude(holder="").exists()


def test_once_ends_with_status_1_when_a_job_failed(start_worker: StartWorker) -> None:
    status, said = finish(start_worker, "broken", "exclusive", arguments=("--once",))
    assert status == 1
    assert "CommandError: Failed: chores.broken. The log has why." in said
    assert len(marks("leave")) == 1


def test_a_database_without_tables_is_said_in_a_line(start_worker: StartWorker) -> None:
    rename("core_lease", "core_away")
    status, said = finish(start_worker, arguments=("--once",))
    assert status == 1
    assert "CommandError: The database cannot be used: " in said
    assert "Traceback" not in said


def test_a_database_that_is_away_is_said_in_a_line(tmp_path: Path) -> None:
    away = Database(f"sqlite:///{tmp_path}/no-such-folder/lens.sqlite3")
    log = tmp_path / "worker.log"
    command = [sys.executable, "manage.py", "worker", "--once"]
    process = processes.start(command, log=log, environment=environment(away, tmp_path))
    assert process.wait(30) == 1
    assert "CommandError: The database cannot be used: unable to open database file" in log.read_text()
    assert "Traceback" not in log.read_text()
