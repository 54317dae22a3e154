"""Tasks whose worker died in the middle of them: put back in the queue, or failed with a message.

A task that is RUNNING names the worker that claimed it, and a worker that lives has a lease. The package's back end
looks at neither.
"""

from __future__ import annotations

import structlog
from django.conf import settings
from django.db.models import QuerySet
from django_tasks.base import DEFAULT_TASK_BACKEND_ALIAS, TaskResultStatus
from django_tasks_db.models import DBTaskResult

from lensproject.core import clock
from lensproject.core.jobs.registry import every
from lensproject.core.jobs.repeatable import is_repeatable
from lensproject.core.jobs.tasks import WORKER_PREFIX, AnyTaskRow
from lensproject.core.models import Lease

log = structlog.get_logger(__name__)

MOST_ATTEMPTS = 5
"""A task that ended this many workers (by taking all memory, say) is not given another one."""


class WorkerDied(Exception):
    """The worker that ran a task ended in the middle of it."""


def _a_third_of_a_lease() -> float:
    return settings.LENS.worker_lease_seconds / 3


@every(_a_third_of_a_lease, name="core.put_back_tasks")
def put_back_tasks() -> int:
    """Put back, or fail, each running task whose last worker has no lease. Returns how many."""
    # First the tasks, then the leases: a worker has its lease before it claims, so none is missed that came in between.
    running = DBTaskResult.objects.running().filter(backend_name=DEFAULT_TASK_BACKEND_ALIAS)
    tasks = list(running.only("task_path", "worker_ids"))
    _bury_dead_workers()
    alive = set(Lease.objects.filter(name__startswith=WORKER_PREFIX).values_list("name", flat=True))
    return sum(_settle(task) for task in tasks if f"{WORKER_PREFIX}{task.worker_ids[-1]}" not in alive)


def _bury_dead_workers() -> None:
    """Remove the leases that ran out. A worker that wakes after this cannot renew, so it knows that it lost them."""
    dead = Lease.objects.filter(name__startswith=WORKER_PREFIX, until__lte=clock.now())
    if dead.exists():
        dead.delete()


def _settle(task: AnyTaskRow) -> bool:
    """False when another process was faster."""
    attempts = len(task.worker_ids)
    if not is_repeatable(task.task_path):
        return _fail(task, "It is not marked repeatable: look at what it has done, then start it again.")
    if attempts >= MOST_ATTEMPTS:
        return _fail(task, f"That was attempt {attempts}, and there is no further one.")
    done = _orphan(task).update(status=TaskResultStatus.READY, started_at=None) == 1
    if done:
        log.warning("task", task=task.task_path, id=str(task.pk), outcome="put back", attempts=attempts)
    return done


def _fail(task: AnyTaskRow, advice: str) -> bool:
    message = f"The worker {task.worker_ids[-1]} ended in the middle of this task. {advice}"
    done = _orphan(task).update(
        status=TaskResultStatus.FAILED,
        finished_at=clock.now(),
        exception_class_path=f"{WorkerDied.__module__}.{WorkerDied.__qualname__}",
        traceback=message,
    )
    if done:
        log.error("task", task=task.task_path, id=str(task.pk), outcome="failed", error=message)
    return done == 1


def _orphan(task: AnyTaskRow) -> QuerySet[AnyTaskRow]:
    """The row, while it is still as it was seen."""
    return DBTaskResult.objects.filter(pk=task.pk, status=TaskResultStatus.RUNNING, worker_ids=task.worker_ids)
