from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

import pytest

from tests.databases import Database
from tests.servers import processes
from tests.worker.chores.marks import make_table, marks

LEASE_SECONDS = 3


@dataclass(frozen=True)
class WorkerProcess:
    """A `manage.py worker` on the test's database."""

    process: subprocess.Popen[bytes]
    log: Path

    @property
    def pid(self) -> int:
        return self.process.pid

    def kill(self) -> None:
        self.process.kill()
        assert self.process.wait() == -signal.SIGKILL

    def end(self, by: signal.Signals) -> tuple[int, float]:
        """Its exit status and the seconds that it took to end. Negative when it had to be killed."""
        asked = monotonic()
        status = processes.end(self.process, by=by, patience=10)
        return status, monotonic() - asked

    def said(self, event: str) -> list[dict[str, Any]]:
        """What it logged of an event so far."""
        lines = self.log.read_text().splitlines()
        facts = [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}")]
        return [found for found in facts if found["event"] == event]

    def wait_for_mark(self, what: str) -> None:
        processes.wait_until(lambda: bool(marks(what)), process=self.process, log=self.log, what=f"mark {what!r}")


class StartWorker(Protocol):
    """`start_worker("exclusive")` starts a worker with the jobs of tests.worker.chores.jobs that are named."""

    def __call__(self, *chores: str, arguments: tuple[str, ...] = ()) -> WorkerProcess: ...


@pytest.fixture
def start_worker(cloned_database: Database, tmp_path: Path) -> Iterator[StartWorker]:
    """Starts workers with a lease of three seconds; they end with the test."""
    make_table()
    with ExitStack() as workers:
        numbers = iter(range(100))

        def start(*chores: str, arguments: tuple[str, ...] = ()) -> WorkerProcess:
            log = tmp_path / f"worker-{next(numbers)}.log"
            command = [sys.executable, "manage.py", "worker", *arguments]
            process = processes.start(command, log=log, environment=environment(cloned_database, tmp_path, chores))
            workers.callback(processes.end, process, by=signal.SIGKILL)
            return WorkerProcess(process, log)

        yield start


def environment(database: Database, var: Path, chores: tuple[str, ...] = ()) -> dict[str, str]:
    return processes.child_environment(
        DJANGO_SETTINGS_MODULE="tests.worker.settings",
        DATABASE_URL=database.url,
        LENS_VAR=str(var),
        LENS_LOG_FORMAT="json",
        LENS_WORKER_LEASE_SECONDS=str(LEASE_SECONDS),
        CHORES=",".join(chores),
    )
