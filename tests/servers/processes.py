"""Real child processes of the tests: started tethered to this one, logged to a file, ended by their process id."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
TETHER = Path(__file__).with_name("tether.py")
INHERITED = ("PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH")


class ServerFailed(Exception):
    """A server ended or stayed silent while it was waited for. The message has the end of its log."""


def child_environment(**more: str) -> dict[str, str]:
    """The least environment that a child needs, and `more`: nothing of ours (`LENS_…`, `DATABASE_URL`) is inherited."""
    kept = {name: os.environ[name] for name in INHERITED if name in os.environ}
    return {**kept, "LC_ALL": "C.UTF-8", "PYTHONUNBUFFERED": "1", **more}


def start(
    command: Sequence[str],
    *,
    log: Path,
    environment: Mapping[str, str] | None = None,
    cwd: Path = ROOT,
    user: str | None = None,
    ends_with_owner_by: signal.Signals = signal.SIGKILL,
) -> subprocess.Popen[bytes]:
    """Start a command whose output is appended to `log`. It ends when this process does, however that comes."""
    tether = [sys.executable, "-I", "-S", str(TETHER), str(os.getpid()), str(int(ends_with_owner_by)), user or "-"]
    with log.open("ab") as output:
        return subprocess.Popen(
            [*tether, *command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=child_environment() if environment is None else dict(environment),
            cwd=cwd,
        )


def wait_until(
    ready: Callable[[], bool], *, process: subprocess.Popen[bytes], log: Path, what: str, seconds: float = 30.0
) -> None:
    """Ask `ready` until it says yes. Raises ServerFailed when the process ends first or the time is over."""
    deadline = time.monotonic() + seconds
    while not ready():
        if process.poll() is not None:
            raise ServerFailed(f"{what} ended with status {process.returncode}:\n{tail(log)}")
        if time.monotonic() > deadline:
            raise ServerFailed(f"{what} did not answer within {seconds:g} s:\n{tail(log)}")
        time.sleep(0.02)


def end(process: subprocess.Popen[bytes], *, by: signal.Signals = signal.SIGTERM, patience: float = 5.0) -> int:
    """End a process by its id, with SIGKILL if it is still there after `patience` seconds. Returns its exit status."""
    if process.poll() is None:
        process.send_signal(by)
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            process.kill()
    return process.wait()


def tail(log: Path, lines: int = 40) -> str:
    """The last lines of a log file, for the message of a failure."""
    text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    return "\n".join(text.splitlines()[-lines:]) or "(its log is empty)"
