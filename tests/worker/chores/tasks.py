"""Tasks that a test holds up in the middle: their first attempt waits for a mark."""

from __future__ import annotations

from time import sleep

from django_tasks import TaskContext, task

from lensproject.core.jobs import checkpoint, repeatable
from tests.worker.chores.marks import mark, mark_once, wait_for

STEPS = ("first", "second", "third")
GO_ON = "go on"


@repeatable
@task(takes_context=True)
def import_three(context: TaskContext) -> str:
    for step in STEPS:
        mark_once(step)
        if step == "second" and context.attempt == 1:
            mark("in the middle")
            wait_for(GO_ON)
    return f"attempt {context.attempt}"


@task()
def pay_three() -> None:
    for step in STEPS:
        mark(step)
        if step == "second":
            mark("in the middle")
            wait_for(GO_ON)


@repeatable
@task()
def import_patiently() -> None:
    mark("in the middle")
    while True:
        checkpoint()
        sleep(0.02)
