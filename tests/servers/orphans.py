"""Finds processes that outlived whoever started them: the kernel gives them to this process, once it asked for that."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36


def adopt() -> None:
    """From now on a descendant whose parent ends becomes this process's child."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER) failed")


def end_all(*, patience: float = 3.0) -> list[str]:
    """End every child that is still there after `patience` seconds, and theirs. Returns a line for each.

    Call it while no child of this process's own is meant to run.
    """
    deadline = time.monotonic() + patience
    while children() and time.monotonic() < deadline:
        time.sleep(0.05)
    found: list[str] = []
    # Ending one may hand over its own children.
    while alive := children():
        for pid in alive:
            found.append(f"{pid} {command_of(pid)}")
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
    return found


def children() -> list[int]:
    """The process ids of the children that run; those that have ended are buried on the way."""
    running = []
    for pid in [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]:
        if parent_of(pid) == os.getpid() and os.waitpid(pid, os.WNOHANG) == (0, 0):
            running.append(pid)
    return running


def parent_of(pid: int) -> int | None:
    try:
        # The name, in brackets, may hold spaces and brackets of its own.
        return int((Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return None


def command_of(pid: int) -> str:
    try:
        return (Path("/proc") / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return "(ended)"
