"""Tasks for the tests of running tasks: the package finds a task by its dotted path, so they stand in a module."""

from __future__ import annotations

import sys
from typing import Any

from django.db import connection
from django_tasks import TaskContext, task
from django_tasks_db.models import DBTaskResult

from lensproject.core.jobs import checkpoint, current, repeatable, stopping


@repeatable
@task()
def add(left: int, right: int) -> int:
    return left + right


@task()
def divide(left: int, right: int) -> float:
    return left / right


@task()
async def add_slowly(left: int, right: int) -> int:
    return left + right


@task(takes_context=True)
def count_attempts(context: TaskContext) -> int:
    return context.attempt


@task()
def leave() -> None:
    sys.exit(3)


@task()
def give_what_is_no_json() -> Any:
    return object()


@repeatable
@task()
def count_up_to_the_end() -> None:
    while True:
        checkpoint()


@task()
def pay_up_to_the_end() -> None:
    while True:
        checkpoint()


@task()
def look_at_the_run() -> list[object]:
    run = current()
    return [run and run.lease, run and run.fence, stopping()]


@task()
def lose_the_task(task_path: str) -> str:
    """Another worker claims the task while this one runs it."""
    DBTaskResult.objects.filter(task_path=task_path).update(worker_ids=["ann", "bob"])
    return "done by ann"


@task()
def break_the_queue() -> None:
    """Afterwards the outcome of this task cannot be written down."""
    rename(TASKS, AWAY)


TASKS, AWAY = DBTaskResult._meta.db_table, "tasks_away"


def rename(old: str, new: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f'ALTER TABLE "{old}" RENAME TO "{new}"')
