"""Becomes a command that the kernel ends when whoever started it ends, even by `kill -9`.

    python -I -S tether.py OWNER_PID COMMAND ARGUMENTS…

A program in front of the command and not a `preexec_fn`, which would run Python code in a fork of a process that has
threads. The kernel watches the thread that started the command, so that one must live as long as the command should.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main(owner: str, *command: str) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    # KILL, because nobody is left who would insist when the command takes its time over TERM.
    if libc.prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG) failed")
    if os.getppid() != int(owner):
        sys.exit("whoever started this has ended already")
    os.execvp(command[0], command)  # noqa: S606 - no shell is wanted


if __name__ == "__main__":
    main(*sys.argv[1:])
