"""A worker ends within three seconds when it is told to, whatever it is at."""

from __future__ import annotations

import signal
from typing import Any

import pytest
from django_tasks_db.models import DBTaskResult

from lensproject.core import clock
from lensproject.core.models import Lease
from tests.servers import processes
from tests.servers.patience import within
from tests.worker.chores import tasks
from tests.worker.chores.marks import marks
from tests.worker.conftest import StartWorker, WorkerProcess


def wait_for_start(worker: WorkerProcess) -> None:
    processes.wait_until(
        lambda: Lease.objects.filter(name__startswith="worker:").exists(),
        process=worker.process,
        log=worker.log,
        what="its lease",
    )


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT], ids=lambda by: by.name)
def test_an_idle_worker_ends_and_gives_its_lease_back(start_worker: StartWorker, by: signal.Signals) -> None:
    worker = start_worker()
    wait_for_start(worker)
    status, seconds = worker.end(by)
    assert (status, seconds < within(3)) == (0, True)
    assert not Lease.objects.filter(name__startswith="worker:").exists()
    assert [found["state"] for found in worker.said("worker")] == ["started", "stopping", "stopped"]


def test_a_flow_is_cancelled_and_may_tidy_up(start_worker: StartWorker) -> None:
    worker = start_worker("endless")
    worker.wait_for_mark("endless")
    status, seconds = worker.end(signal.SIGTERM)
    assert (status, seconds < within(3)) == (0, True)
    assert len(marks("tidied up")) == 1
    lease = Lease.objects.get(name="job:chores.endless")
    assert (lease.holder, lease.failures) == ("", 0)
    assert lease.until <= clock.now()


def test_a_repeatable_task_that_stops_at_a_checkpoint_waits_for_another_worker(start_worker: StartWorker) -> None:
    tasks.import_patiently.enqueue()
    worker = start_worker()
    worker.wait_for_mark("in the middle")
    status, seconds = worker.end(signal.SIGTERM)
    assert (status, seconds < within(3)) == (0, True)
    row: Any = DBTaskResult.objects.get()
    assert (row.status, row.worker_ids) == ("READY", [])
    assert not Lease.objects.filter(name__startswith="worker:").exists()


@pytest.mark.parametrize("chore", ["stubborn", "hanging"], ids=["a sync job that hangs", "a flow that hangs the loop"])
def test_a_job_that_does_not_stop_is_left_to_its_lease(start_worker: StartWorker, chore: str) -> None:
    worker = start_worker(chore)
    worker.wait_for_mark(chore)
    status, seconds = worker.end(signal.SIGTERM)
    assert (status, seconds < within(3)) == (0, True)
    lease = Lease.objects.get(name=f"job:chores.{chore}")
    assert f"-{worker.pid}-" in lease.holder


def test_a_task_that_does_not_stop_is_left_to_the_workers_lease(start_worker: StartWorker) -> None:
    tasks.pay_three.enqueue()
    worker = start_worker()
    worker.wait_for_mark("in the middle")
    status, seconds = worker.end(signal.SIGTERM)
    assert (status, seconds < within(3)) == (0, True)
    row: Any = DBTaskResult.objects.get()
    assert row.status == "RUNNING"
    assert Lease.objects.filter(name=f"worker:{row.worker_ids[0]}").exists()
    assert worker.said("worker")[-1]["left"] == ["tasks"]


def test_a_second_signal_ends_the_worker_at_once(start_worker: StartWorker) -> None:
    worker = start_worker("stubborn")
    worker.wait_for_mark("stubborn")
    worker.process.send_signal(signal.SIGTERM)
    processes.wait_until(
        lambda: worker.said("worker")[-1]["state"] == "stopping",
        process=worker.process,
        log=worker.log,
        what="the first signal",
    )
    status, seconds = worker.end(signal.SIGINT)
    assert status == 1
    assert seconds < 1
