"""Tasks of the Tasks API, run from their queue in the database by the package's own worker, one at a time.

The package claims a task under its own locks. Writing the outcome is ours: it counts only while the task is still the
one that this worker claimed. A worker that was suspended for longer than its lease, and whose task another one has run
since, changes nothing when it wakes.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from time import monotonic
from traceback import format_exception
from typing import Any, cast

import structlog
from django.core.exceptions import SuspiciousOperation
from django.db import close_old_connections
from django.utils import timezone
from django_tasks.base import DEFAULT_TASK_BACKEND_ALIAS, TaskContext, TaskResult, TaskResultStatus
from django_tasks.signals import task_finished, task_started
from django_tasks.utils import normalize_json
from django_tasks_db.management.commands.db_worker import Worker as PackageWorker
from django_tasks_db.models import DBTaskResult
from django_tasks_db.utils import retry

from lensproject.core.jobs.repeatable import is_repeatable
from lensproject.core.jobs.runs import Interrupted, Run, under

log = structlog.get_logger(__name__)

AnyTaskRow = DBTaskResult[..., Any]

WORKER_PREFIX = "worker:"
"""Begins the name of the lease that a worker renews while it lives; the worker's id in `worker_ids` follows."""

TAKEN_AWAY = "taken away"


def any_ready() -> bool:
    """Whether a task waits. Only reads: on SQLite the package's claim takes the write lock even to find nothing."""
    return DBTaskResult.objects.ready().filter(backend_name=DEFAULT_TASK_BACKEND_ALIAS).exists()


def run_one(me: Run) -> bool:
    """Claim the first task that is ready and run it. False when there was none."""
    worker = _OneTask(me.lease.removeprefix(WORKER_PREFIX))
    try:
        with under(me):
            worker.run()
    finally:
        close_old_connections()
    return worker.ran


class _OneTask(PackageWorker):
    def __init__(self, worker_id: str) -> None:
        super().__init__(
            queue_names=["*"],
            excluded_queue_names=[],
            backend_name=DEFAULT_TASK_BACKEND_ALIAS,
            worker_id=worker_id,
            batch=True,
            max_tasks=1,
            interval=0,
            startup_delay=False,
        )

    @property
    def ran(self) -> bool:
        return self._run_tasks > 0

    def run_task(self, row: AnyTaskRow) -> None:
        """Run a claimed task. Whatever it raises, SystemExit too, is its outcome and not the end of the worker."""
        self._run_tasks += 1
        began = monotonic()
        outcome, error = _attempt(row)
        counts = _record(row, outcome)
        _say(row, outcome["status"] if counts else TAKEN_AWAY, monotonic() - began, error)
        if counts and outcome["status"] != TaskResultStatus.READY:
            _announce(row)


def _attempt(row: AnyTaskRow) -> tuple[dict[str, Any], BaseException | None]:
    """Run the task. Returns the columns that hold its outcome, and what it raised."""
    try:
        value = _call(row)
    except BaseException as error:
        if isinstance(error, Interrupted) and is_repeatable(row.task_path):
            # It waits for another worker, and this was no attempt.
            return {"status": TaskResultStatus.READY, "started_at": None, "worker_ids": row.worker_ids[:-1]}, None
        return _failure(error), error
    return {"status": TaskResultStatus.SUCCESSFUL, "finished_at": timezone.now(), "return_value": value}, None


def _call(row: AnyTaskRow) -> Any:
    """Run the task's function. Returns its result as JSON."""
    result = row.task_result
    task_started.send(type(result.task.get_backend()), task_result=result)
    context = [TaskContext(task_result=cast("TaskResult[Any]", result))] if result.task.takes_context else []
    return normalize_json(result.task.call(*context, *result.args, **result.kwargs))


def _failure(error: BaseException) -> dict[str, Any]:
    return {
        "status": TaskResultStatus.FAILED,
        "finished_at": timezone.now(),
        "exception_class_path": f"{type(error).__module__}.{type(error).__qualname__}",
        "traceback": "".join(format_exception(error)),
    }


@retry(retries=3, backoff_delay=0.5)
def _record(row: AnyTaskRow, outcome: dict[str, Any]) -> bool:
    """Write the outcome down. False when the task was put back or given to another worker meanwhile."""
    close_old_connections()  # The task may have left a broken one.
    claimed = DBTaskResult.objects.filter(pk=row.pk, status=TaskResultStatus.RUNNING, worker_ids=row.worker_ids)
    return claimed.update(**outcome) == 1


def _say(row: AnyTaskRow, outcome: str, seconds: float, error: BaseException | None) -> None:
    """One line a task, as for a run of a job."""
    level = logging.ERROR if error else logging.WARNING if outcome in (TAKEN_AWAY, "READY") else logging.INFO
    name = "put back" if outcome == TaskResultStatus.READY else outcome.lower()
    log.log(level, "task", task=row.task_path, id=str(row.pk), outcome=name, seconds=round(seconds, 3), exc_info=error)


def _announce(row: AnyTaskRow) -> None:
    """The signal that the package's own worker sends. Nobody can listen for a task that is no longer in the code."""
    row.refresh_from_db()
    with suppress(ImportError, SuspiciousOperation):
        result = row.task_result
        task_finished.send_robust(type(result.task.get_backend()), task_result=result)
