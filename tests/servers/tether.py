"""Becomes a command that the kernel ends when whoever started it ends, even by SIGKILL.

    python -I -S tether.py OWNER_PID SIGNAL USER_OR_MINUS COMMAND ARGUMENTS…

A program in front of the command and not a `preexec_fn`: that would run Python code in a fork of a process with
threads. The kernel watches the thread that started the command, so a server is started from a thread that lives as long
as the server should.
"""

from __future__ import annotations

import ctypes
import os
import pwd
import sys

PR_SET_PDEATHSIG = 1


def main(owner: str, signal_number: str, user: str, *command: str) -> None:
    if user != "-":
        become(user)
    # After the change of user, which makes the kernel forget it.
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_PDEATHSIG, int(signal_number), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG) failed")
    if os.getppid() != int(owner):
        sys.exit("whoever started this has ended already")
    os.execvp(command[0], command)  # noqa: S606 - no shell is wanted


def become(user: str) -> None:
    account = pwd.getpwnam(user)
    os.setgroups([])
    os.setgid(account.pw_gid)
    os.setuid(account.pw_uid)


if __name__ == "__main__":
    main(*sys.argv[1:])
