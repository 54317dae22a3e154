"""Queued tasks: enqueued for real, claimed by the package's worker, run here."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone
from django_tasks.base import Task, TaskResultStatus
from django_tasks.signals import task_finished, task_started
from django_tasks_db.models import DBTaskResult

from lensproject.core.jobs import tasks
from lensproject.core.jobs.runs import Run
from tests.core import chores

pytestmark = pytest.mark.usefixtures("cloned_database")

ANN = Run("worker:ann", 7, asked=0)


def run(task: Task[..., Any], *arguments: object) -> Any:
    """Enqueue the task and run it as the worker `ann`. Returns its row."""
    result = task.enqueue(*arguments)
    assert tasks.run_one(ANN)
    return DBTaskResult.objects.get(pk=result.id)


def facts(caplog: pytest.LogCaptureFixture) -> list[tuple[str, dict[str, Any]]]:
    found: list[tuple[str, Any]] = [(record.levelname, record.msg) for record in caplog.records]
    names = ("task", "outcome")
    return [
        (level, {name: said[name] for name in names})
        for level, said in found
        if isinstance(said, dict) and said["event"] == "task"
    ]


def test_an_empty_queue_has_nothing_to_run() -> None:
    assert not tasks.any_ready()
    assert not tasks.run_one(ANN)


def test_a_task_runs_and_its_result_is_kept(caplog: pytest.LogCaptureFixture) -> None:
    row = run(chores.add, 2, 3)
    assert (row.status, row.return_value, row.worker_ids) == ("SUCCESSFUL", 5, ["ann"])
    assert row.enqueued_at <= row.started_at <= row.finished_at
    assert facts(caplog) == [("INFO", {"task": "tests.core.chores.add", "outcome": "successful"})]


def test_a_task_runs_once() -> None:
    run(chores.add, 2, 3)
    assert not tasks.any_ready()
    assert not tasks.run_one(ANN)


def test_one_task_is_run_at_a_time_the_oldest_first() -> None:
    first, second = chores.add.enqueue(1, 1), chores.add.enqueue(2, 2)
    assert tasks.run_one(ANN)
    statuses = {str(row.pk): row.status for row in DBTaskResult.objects.all()}
    assert statuses == {first.id: "SUCCESSFUL", second.id: "READY"}


def test_a_task_that_raises_has_failed_with_its_traceback(caplog: pytest.LogCaptureFixture) -> None:
    row = run(chores.divide, 1, 0)
    assert (row.status, row.exception_class_path) == ("FAILED", "builtins.ZeroDivisionError")
    assert "in divide\n" in row.traceback
    assert facts(caplog) == [("ERROR", {"task": "tests.core.chores.divide", "outcome": "failed"})]


def test_a_task_that_would_end_the_process_has_failed() -> None:
    row = run(chores.leave)
    assert (row.status, row.exception_class_path) == ("FAILED", "builtins.SystemExit")


def test_a_task_whose_result_is_no_json_has_failed() -> None:
    row = run(chores.give_what_is_no_json)
    assert (row.status, row.exception_class_path, row.return_value) == ("FAILED", "builtins.TypeError", None)


def test_a_task_that_is_no_longer_in_the_code_has_failed() -> None:
    chores.add.enqueue(2, 3)
    DBTaskResult.objects.update(task_path="tests.core.chores.gone")
    assert tasks.run_one(ANN)
    row: Any = DBTaskResult.objects.get()
    assert (row.status, row.exception_class_path) == ("FAILED", "builtins.ImportError")


def test_an_async_task_runs() -> None:
    assert run(chores.add_slowly, 2, 3).return_value == 5


def test_a_task_may_ask_which_attempt_it_is() -> None:
    assert run(chores.count_attempts).return_value == 1


def test_a_task_knows_the_workers_lease() -> None:
    assert run(chores.look_at_the_run).return_value == ["worker:ann", 7, False]


def test_a_task_for_later_waits() -> None:
    chores.add.using(run_after=timezone.now() + timedelta(minutes=1)).enqueue(2, 3)
    assert not tasks.any_ready()
    assert not tasks.run_one(ANN)


def test_a_task_that_was_enqueued_in_a_transaction_that_failed_is_not_queued() -> None:
    def import_and_fail() -> None:
        with transaction.atomic():
            chores.add.enqueue(2, 3)
            assert tasks.any_ready()
            raise LookupError

    with pytest.raises(LookupError):
        import_and_fail()
    assert not DBTaskResult.objects.exists()


def test_an_outcome_that_comes_too_late_changes_nothing(caplog: pytest.LogCaptureFixture) -> None:
    row = run(chores.lose_the_task, chores.lose_the_task.module_path)
    assert (row.status, row.return_value, row.worker_ids) == ("RUNNING", None, ["ann", "bob"])
    assert row.finished_at is None
    assert facts(caplog) == [("WARNING", {"task": "tests.core.chores.lose_the_task", "outcome": "taken away"})]


@pytest.fixture
def ending() -> Run:
    """The lease of a worker that was told to end."""
    run = Run("worker:ann", 7, asked=0)
    run.stop.set()
    return run


def test_a_repeatable_task_that_is_interrupted_waits_for_another_worker(
    ending: Run, caplog: pytest.LogCaptureFixture
) -> None:
    chores.count_up_to_the_end.enqueue()
    tasks.run_one(ending)
    row: Any = DBTaskResult.objects.get()
    assert (row.status, row.worker_ids, row.started_at, row.finished_at) == ("READY", [], None, None)
    assert facts(caplog) == [("WARNING", {"task": "tests.core.chores.count_up_to_the_end", "outcome": "put back"})]
    assert tasks.any_ready()


def test_another_task_that_is_interrupted_has_failed(ending: Run) -> None:
    chores.pay_up_to_the_end.enqueue()
    tasks.run_one(ending)
    row: Any = DBTaskResult.objects.get()
    assert (row.status, row.exception_class_path) == ("FAILED", "lensproject.core.jobs.runs.Interrupted")
    assert row.worker_ids == ["ann"]


def test_the_signals_of_the_package_are_sent() -> None:
    heard: list[tuple[str, TaskResultStatus]] = []

    def started(task_result: Any, **_: object) -> None:
        heard.append(("started", task_result.status))

    def finished(task_result: Any, **_: object) -> None:
        heard.append(("finished", task_result.status))

    task_started.connect(started)
    task_finished.connect(finished)
    try:
        run(chores.add, 2, 3)
        run(chores.divide, 1, 0)
    finally:
        task_started.disconnect(started)
        task_finished.disconnect(finished)
    running, good, bad = TaskResultStatus.RUNNING, TaskResultStatus.SUCCESSFUL, TaskResultStatus.FAILED
    assert heard == [("started", running), ("finished", good), ("started", running), ("finished", bad)]
