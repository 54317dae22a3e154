"""Child processes: each tethered to this one, in a process group of its own, with one log file."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lensproject.environment import ROOT

TETHER = Path(__file__).with_name("tether.py")
GRACE_SECONDS = 2.0
SHOWN_LINES = 20


@dataclass(frozen=True)
class Child:
    """A process that was started here. What it writes is in `log`."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def pid(self) -> int:
        return self.process.pid

    def has_ended(self) -> bool:
        """Looks without burying it: while its process id is not free, nobody else's group can have it."""
        if self.process.returncode is not None:
            return True
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def send(self, number: signal.Signals) -> None:
        """Signal the whole group, as long as the child was not buried."""
        if self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, number)

    def status(self) -> str:
        """How it ended, in words."""
        code = self.process.wait()
        return f"status {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"

    def tail(self) -> str:
        """The last lines of its log."""
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        return "\n".join(lines[-SHOWN_LINES:]) or "(its log is empty)"


def start(
    name: str, command: Sequence[str], *, log: Path, environment: Mapping[str, str], pass_fds: Sequence[int] = ()
) -> Child:
    """Start a command, from the main thread. The log of the run before is kept beside the new one."""
    if log.exists():
        log.replace(log.with_name(f"{log.name}.1"))
    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603 - commands of ours
            [sys.executable, "-I", "-S", str(TETHER), str(os.getpid()), *command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=dict(environment),
            cwd=ROOT,
            pass_fds=tuple(pass_fds),
            # Ctrl-C in a terminal goes to the group in front: the children are asked to end by us, and in our time.
            process_group=0,
        )
    return Child(name, process, log)


def end(children: Sequence[Child]) -> list[str]:
    """Ask all to end, and after two seconds end them. Returns the names of those that had to be killed."""
    for child in children:
        child.send(signal.SIGTERM)
    deadline = time.monotonic() + GRACE_SECONDS
    while time.monotonic() < deadline and not all(child.has_ended() for child in children):
        time.sleep(0.02)
    stubborn = [child.name for child in children if not child.has_ended()]
    for child in children:
        # Those that ended too: what they started themselves is in their group.
        child.send(signal.SIGKILL)
        child.process.wait()
    return stubborn
