"""Temporary folders of servers and databases: in memory where there is room, gone even if their owner was killed."""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

PREFIX = "lens-test-"
MEMORY = Path("/dev/shm")  # noqa: S108 - what is made in it comes from mkdtemp
ROOM = 1 << 30
"""Bytes that must be free in memory. Containers often have 64 MB there, which a PostgreSQL fills."""


@contextmanager
def temporary_folder(name: str, *, quick: bool = False) -> Iterator[Path]:
    """A folder of this process's own, removed afterwards. `quick`: in memory if that has room.

    Making a file in memory takes a tenth of the time, and a clone of a PostgreSQL database is a thousand files.
    """
    parent = MEMORY if quick and has_room(MEMORY) else reachable_temporary_folder()
    remove_orphans(parent)
    folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{name}-", dir=parent))
    try:
        with open_lock(folder) as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield folder
    finally:
        shutil.rmtree(folder)


def remove_orphans(parent: Path) -> None:
    """Remove folders whose owner was killed: nobody holds their lock any more."""
    for folder in parent.glob(f"{PREFIX}*"):
        try:
            # A folder that was made a moment ago may not be locked yet.
            if time.time() - folder.stat().st_mtime < 60:
                continue
            with open_lock(folder) as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue  # Held by its owner, removed by another, or somebody else's.


def open_lock(folder: Path) -> IO[str]:
    return (folder / "owner.lock").open("a")


def has_room(folder: Path) -> bool:
    if not os.access(folder, os.W_OK | os.X_OK):
        return False
    space = os.statvfs(folder)
    return space.f_bavail * space.f_frsize >= ROOM


def reachable_temporary_folder() -> Path:
    """Where temporary files go, or /tmp when we are root and the account that servers run as cannot go there."""
    usual = Path(tempfile.gettempdir())
    return usual if os.geteuid() != 0 or is_reachable(usual) else Path("/tmp")  # noqa: S108 - as above


def is_reachable(path: Path) -> bool:
    """Whether every account may enter all folders on the way and use the file or folder at its end."""
    real = path.resolve()
    return all(each.stat().st_mode & stat.S_IXOTH for each in (real, *real.parents))
