from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.servers import processes
from tests.servers.processes import ROOT, ServerFailed, child_environment, end, start, tail, wait_until

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]
DEAF = [
    sys.executable,
    "-c",
    "import signal, time; signal.signal(15, signal.SIG_IGN); print('deaf', flush=True); time.sleep(60)",
]
OWNER = """
import pathlib, sys, time
from tests.servers import processes
child = processes.start([sys.executable, "-c", "import time; time.sleep(60)"], log=pathlib.Path(sys.argv[1]))
print(child.pid, flush=True)
time.sleep(60)
"""


def eventually(holds: Callable[[], bool], seconds: float = 10) -> bool:
    deadline = time.monotonic() + seconds
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.01)
    return holds()


def runs(pid: int) -> bool:
    """Whether the process is there and not a zombie that nobody has buried yet."""
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_children_inherit_no_setting_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LENS_DEBUG", "DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE", "PYTHONPATH"):
        monkeypatch.setenv(name, "from outside")
    found = child_environment(LENS_VAR="var")
    assert "from outside" not in found.values()
    assert found["LENS_VAR"] == "var"
    assert found["PATH"] == os.environ["PATH"]


def test_a_child_gets_its_environment_and_folder_and_writes_to_its_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    show = "import os, sys; print(os.getcwd(), os.environ['WORD']); print('apart', file=sys.stderr); sys.exit(3)"
    child = start([sys.executable, "-c", show], log=log, environment=child_environment(WORD="said"), cwd=tmp_path)
    assert child.wait(10) == 3
    assert sorted(log.read_text().splitlines()) == sorted([f"{tmp_path} said", "apart"])


def test_a_child_ends_when_its_owner_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", OWNER, str(tmp_path / "log")]
    with subprocess.Popen(command, cwd=ROOT, env=child_environment(), stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        child = int(owner.stdout.readline())
        assert runs(child)
        owner.send_signal(signal.SIGKILL)
    assert eventually(lambda: not runs(child))


def test_a_child_whose_owner_is_gone_already_does_not_start(tmp_path: Path) -> None:
    proof = tmp_path / "proof"
    command = [sys.executable, "-I", "-S", str(processes.TETHER), "1", "9", "-", "touch", str(proof)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "whoever started this has ended already\n")
    assert not proof.exists()


def test_ending_returns_the_status(tmp_path: Path) -> None:
    child = start(SLEEP, log=tmp_path / "log")
    assert end(child) == -signal.SIGTERM
    # Once more, with the same answer.
    assert end(child) == -signal.SIGTERM


def test_ending_what_does_not_listen_takes_a_kill(tmp_path: Path) -> None:
    log = tmp_path / "log"
    child = start(DEAF, log=log)
    wait_until(lambda: "deaf" in log.read_text(), process=child, log=log, what="the deaf one")
    assert end(child, patience=0.1) == -signal.SIGKILL


def test_waiting_for_what_ended_shows_its_last_words(tmp_path: Path) -> None:
    log = tmp_path / "log"
    child = start([sys.executable, "-c", "import sys; print('last words'); sys.exit(7)"], log=log)
    with pytest.raises(ServerFailed, match=r"^the server ended with status 7:\nlast words$"):
        wait_until(lambda: False, process=child, log=log, what="the server")


def test_waiting_for_what_stays_silent_ends(tmp_path: Path) -> None:
    log = tmp_path / "log"
    child = start(SLEEP, log=log)
    try:
        with pytest.raises(ServerFailed, match=r"^the server did not answer within 0\.1 s:\n\(its log is empty\)$"):
            wait_until(lambda: False, process=child, log=log, what="the server", seconds=0.1)
    finally:
        end(child)


def test_the_tail_of_a_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert tail(log) == "(its log is empty)"
    log.write_bytes(b"one\ntwo\n\xff\n")
    assert tail(log, lines=2) == "two\n�"
