"""The folder of everything that is written: usable, and used by one demo at a time."""

from __future__ import annotations

import fcntl
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lensproject.management.demo.faults import DemoFailed

OWN_LOG = "demo.log"


@contextmanager
def held(var: Path) -> Iterator[Path]:
    """Hold var/ while the block runs; gives its folder of logs. Raises DemoFailed when that cannot be.

    The kernel gives the lock back when this process ends, however it ends.
    """
    try:
        logs = var / "log"
        logs.mkdir(parents=True, exist_ok=True)
        lock = os.open(var / "demo.lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        advice = "Set LENS_VAR to a folder that can be written."
        raise DemoFailed(f"{error.filename} cannot be written: {error.strerror}. {advice}") from None
    try:
        _lock(lock, var)
        with for_this_user_alone():
            yield logs
    finally:
        os.close(lock)


@contextmanager
def for_this_user_alone() -> Iterator[None]:
    """Files that this process and its children make are read by nobody else: the database has the sessions of who is
    signed in, and a log has what went wrong with whose request.
    """
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def _lock(lock: int, var: Path) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.read(lock, 20).decode(errors="replace").strip() or "unknown"
        raise DemoFailed(
            f"A demo already runs with {var}: process {holder}. "
            "End that one, or give this one a folder of its own by LENS_VAR."
        ) from None
    os.ftruncate(lock, 0)
    os.write(lock, f"{os.getpid()}\n".encode())


@contextmanager
def own_log(folder: Path) -> Iterator[Path]:
    """What this process logs goes to var/log/demo.log and not between the lines that people read."""
    path = folder / OWN_LOG
    try:
        stream = path.open("w", encoding="utf-8", buffering=1)
    except OSError as error:
        raise DemoFailed(f"{path} cannot be written: {error.strerror}.") from None
    handlers = [handler for handler in logging.getLogger().handlers if type(handler) is logging.StreamHandler]
    before = [(handler, handler.setStream(stream)) for handler in handlers]
    try:
        yield path
    finally:
        for handler, old in before:
            handler.setStream(old)
        stream.close()
