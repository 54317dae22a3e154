from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from lensproject.management.demo import processes
from lensproject.management.demo.processes import Child
from tests.servers import processes as of_the_tests

Start = Callable[..., Child]

UNTIL_TOLD = "import signal; print('up', flush=True); signal.pause()"
DEAF = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {UNTIL_TOLD}"
WITH_A_CHILD = f"""
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", {DEAF!r}])
print(child.pid, flush=True)
child.wait()
"""


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    with ExitStack() as started:

        def start_one(code: str, name: str = "child", pass_fds: tuple[int, ...] = ()) -> Child:
            log = tmp_path / f"{name}.log"
            environment = {"PATH": os.environ["PATH"], "MARK": "set"}
            command = [sys.executable, "-c", code]
            child = processes.start(name, command, log=log, environment=environment, pass_fds=pass_fds)
            started.callback(processes.end, [child])
            return child

        yield start_one


def wait_for(condition: Callable[[], object], seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def said(child: Child) -> str:
    wait_for(lambda: child.log.read_text().endswith("\n"))
    return child.log.read_text().strip()


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and that nobody has buried does not."""
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_both_outputs_go_to_the_log(start: Start) -> None:
    child = start("import sys; print('out', flush=True); print('err', file=sys.stderr)")
    child.process.wait()
    assert child.log.read_text() == "out\nerr\n"


def test_the_log_of_the_run_before_is_kept_beside(start: Start) -> None:
    for text in ("first", "second"):
        start(f"print('{text}')").process.wait()
    log = start("print('third')").log
    assert log.with_name("child.log.1").read_text() == "second\n"


def test_it_has_the_environment_that_it_was_given_and_nothing_to_read(start: Start) -> None:
    child = start("import os, sys; print(os.environ['MARK'], repr(sys.stdin.read()))")
    child.process.wait()
    assert child.log.read_text() == "set ''\n"


def test_it_leads_a_process_group_of_its_own(start: Start) -> None:
    child = start("import os; print(os.getpid(), os.getpgid(0))")
    assert said(child) == f"{child.pid} {child.pid}"


def test_a_listening_socket_reaches_it(start: Start) -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading) as out:
        start(f"import os; os.write({writing}, b'through')", pass_fds=(writing,)).process.wait()
        os.close(writing)
        assert out.read() == "through"


def test_a_polite_child_ends_by_term(start: Start) -> None:
    child = start(UNTIL_TOLD)
    said(child)
    assert processes.end([child]) == []
    assert child.process.returncode == -signal.SIGTERM
    assert child.status() == "signal SIGTERM"


def test_a_deaf_child_is_killed_within_three_seconds_together_with_the_others(start: Start) -> None:
    children = [start(DEAF, "deaf"), start(DEAF, "deafer"), start(UNTIL_TOLD, "polite")]
    for child in children:
        said(child)
    began = time.monotonic()
    assert processes.end(children) == ["deaf", "deafer"]
    assert time.monotonic() - began < 3
    assert [child.process.returncode for child in children] == [-9, -9, -15]


def test_what_a_child_started_ends_with_it(start: Start) -> None:
    child = start(WITH_A_CHILD)
    grandchild = int(said(child).splitlines()[0])
    processes.end([child])
    wait_for(lambda: not is_alive(grandchild))


def test_a_child_that_has_ended_is_seen_and_not_buried_by_looking(start: Start) -> None:
    child = start("import sys; sys.exit(7)")
    wait_for(child.has_ended)
    assert child.process.returncode is None
    assert child.has_ended()
    assert child.status() == "status 7"
    assert child.has_ended()


def test_ending_one_that_has_ended_changes_nothing(start: Start) -> None:
    child = start("pass")
    wait_for(child.has_ended)
    assert processes.end([child]) == []
    assert processes.end([child]) == []
    assert child.process.returncode == 0


def test_the_tail_is_the_last_twenty_lines(start: Start) -> None:
    child = start("for i in range(50): print('line', i)")
    child.process.wait()
    assert child.tail().splitlines() == [f"line {i}" for i in range(30, 50)]


def test_the_tail_of_a_silent_child_says_so(start: Start) -> None:
    child = start("pass")
    child.process.wait()
    assert child.tail() == "(its log is empty)"


def test_a_child_ends_when_whoever_started_it_is_killed(tmp_path: Path) -> None:
    code = f"""
import os, sys, time
from pathlib import Path
from lensproject.management.demo import processes
child = processes.start("deaf", [sys.executable, "-c", {DEAF!r}], log=Path({str(tmp_path / "deaf.log")!r}),
                        environment=os.environ)
print(child.pid, flush=True)
time.sleep(60)
"""
    log = tmp_path / "owner.log"
    owner = of_the_tests.start([sys.executable, "-c", code], log=log, environment=dict(os.environ))
    try:
        wait_for(lambda: log.exists() and log.read_text().endswith("\n"))
        pid = int(log.read_text())
        wait_for(lambda: (tmp_path / "deaf.log").read_text() == "up\n")
        assert is_alive(pid)
    finally:
        of_the_tests.end(owner, by=signal.SIGKILL)
    wait_for(lambda: not is_alive(pid), seconds=3)


def test_the_tether_refuses_an_owner_that_is_not_its_parent(tmp_path: Path) -> None:
    log = tmp_path / "tether.log"
    command = [sys.executable, "-I", "-S", str(processes.TETHER), "1", sys.executable, "-c", "print('ran')"]
    child = of_the_tests.start(command, log=log)
    assert child.wait(10) == 1
    assert log.read_text() == "whoever started this has ended already\n"
