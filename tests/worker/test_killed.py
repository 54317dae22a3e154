"""Workers that are killed with -9 or suspended in the middle of their work, and what becomes of it."""

from __future__ import annotations

import signal
from time import monotonic
from typing import Any

from django_tasks_db.models import DBTaskResult

from lensproject.core.models import Lease
from tests.servers import processes
from tests.worker.chores import tasks
from tests.worker.chores.marks import mark, marks
from tests.worker.conftest import LEASE_SECONDS, StartWorker, WorkerProcess


def row() -> Any:
    return DBTaskResult.objects.get()


def wait_for_status(worker: WorkerProcess, status: str) -> None:
    processes.wait_until(
        lambda: row().status == status, process=worker.process, log=worker.log, what=f"a task that is {status}"
    )


def ran_by(worker_id: str) -> int:
    """The process id in a worker's id."""
    return int(worker_id.split("-")[-2])


def test_a_repeatable_task_of_a_killed_worker_is_finished_by_another(start_worker: StartWorker) -> None:
    tasks.import_three.enqueue()
    first, second = start_worker(), start_worker()
    processes.wait_until(
        lambda: bool(marks("in the middle")), process=first.process, log=first.log, what="a task in its middle"
    )
    victim, survivor = (first, second) if marks("in the middle")[0].pid == first.pid else (second, first)
    assert [ran_by(each) for each in row().worker_ids] == [victim.pid]
    victim.kill()

    wait_for_status(survivor, "SUCCESSFUL")

    assert [ran_by(each) for each in row().worker_ids] == [victim.pid, survivor.pid]
    assert row().return_value == "attempt 2"
    steps = [(each.what, each.pid) for each in marks() if each.what in tasks.STEPS]
    assert steps == [("first", victim.pid), ("second", victim.pid), ("third", survivor.pid)]
    assert [found["outcome"] for found in survivor.said("task")] == ["put back", "successful"]


def test_another_task_of_a_killed_worker_has_failed_with_a_message(start_worker: StartWorker) -> None:
    tasks.pay_three.enqueue()
    victim = start_worker()
    victim.wait_for_mark("in the middle")
    victim.kill()
    survivor = start_worker()
    wait_for_status(survivor, "FAILED")
    assert row().traceback == (
        f"The worker {row().worker_ids[0]} ended in the middle of this task. "
        "It is not marked repeatable: look at what it has done, then start it again."
    )
    assert ran_by(row().worker_ids[0]) == victim.pid
    assert [each.what for each in marks()] == ["first", "second", "in the middle"]


def test_a_suspended_worker_changes_nothing_when_it_wakes_and_works_on(start_worker: StartWorker) -> None:
    tasks.import_three.enqueue()
    sleeper = start_worker()
    sleeper.wait_for_mark("in the middle")
    sleeper.process.send_signal(signal.SIGSTOP)
    other = start_worker()
    wait_for_status(other, "SUCCESSFUL")
    before = row()
    assert other.end(signal.SIGTERM)[0] == 0

    mark(tasks.GO_ON)
    sleeper.process.send_signal(signal.SIGCONT)
    processes.wait_until(
        lambda: bool(sleeper.said("task")), process=sleeper.process, log=sleeper.log, what="the end of its attempt"
    )

    assert [found["outcome"] for found in sleeper.said("task")] == ["taken away"]
    after = row()
    assert (after.status, after.return_value, after.worker_ids) == ("SUCCESSFUL", "attempt 2", before.worker_ids)
    later = tasks.import_three.enqueue()
    processes.wait_until(
        lambda: DBTaskResult.objects.get(pk=later.id).status == "SUCCESSFUL",
        process=sleeper.process,
        log=sleeper.log,
        what="a task of the worker that woke",
    )


def test_a_job_of_a_killed_worker_is_taken_over_when_its_lease_has_run_out(start_worker: StartWorker) -> None:
    victim = start_worker("endless")
    victim.wait_for_mark("endless")
    victim.kill()
    killed = monotonic()
    survivor = start_worker("endless")
    processes.wait_until(
        lambda: len(marks("endless")) == 2, process=survivor.process, log=survivor.log, what="the take-over"
    )
    first, second = marks("endless")
    assert (first.pid, second.pid) == (victim.pid, survivor.pid)
    assert second.at - first.at >= LEASE_SECONDS * 5 / 6
    assert second.at - killed < LEASE_SECONDS + 10
    assert Lease.objects.get(name="job:chores.endless").fence == 2
