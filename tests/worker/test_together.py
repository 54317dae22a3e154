"""Several workers on one database."""

from __future__ import annotations

import signal
from itertools import pairwise

from lensproject.core.models import Lease
from tests.servers import processes
from tests.worker.chores.marks import marks
from tests.worker.conftest import StartWorker


def test_two_workers_never_run_a_job_at_once_and_one_goes_on_alone(start_worker: StartWorker) -> None:
    first, second = start_worker("exclusive"), start_worker("exclusive")
    processes.wait_until(
        lambda: len(marks("leave")) >= 10, process=first.process, log=first.log, what="ten runs of two workers"
    )
    assert first.end(signal.SIGTERM)[0] == 0
    left_at = len(marks("leave"))
    processes.wait_until(
        lambda: len(marks("leave")) >= left_at + 3, process=second.process, log=second.log, what="three runs of one"
    )
    assert second.end(signal.SIGTERM)[0] == 0

    seen = [(mark.what, mark.pid) for mark in marks()]
    entered, left = seen[::2], seen[1::2]
    assert {what for what, _ in entered} == {"enter"}
    assert {what for what, _ in left} == {"leave"}
    assert [pid for _, pid in entered] == [pid for _, pid in left]
    assert entered[-1][1] == second.pid
    gaps = [after.at - before.at for before, after in pairwise(marks("enter"))]
    # A period of 0.2 s: a run notes its start a moment after its lease was taken, and that moment differs.
    assert min(gaps) > 0.05
    assert sum(gaps) / len(gaps) > 0.18


def test_a_broken_job_leaves_the_worker_and_its_other_jobs_at_work(start_worker: StartWorker) -> None:
    worker = start_worker("broken", "exclusive")
    processes.wait_until(
        lambda: len(marks("broken")) >= 2 and len(marks("leave")) >= 2,
        process=worker.process,
        log=worker.log,
        what="two runs of each",
    )
    said = [found for found in worker.said("job") if found["job"] == "chores.broken"]
    assert {(found["outcome"], found["level"]) for found in said} == {("failed", "error")}
    assert "LookupError: there is nothing" in said[0]["exception"]
    assert Lease.objects.get(name="job:chores.broken").failures >= 1
    assert worker.end(signal.SIGTERM)[0] == 0
