"""What the suite needs of the machine itself: Debian's Chromium, for the tests of pages.

Everything else comes with `.venv`. As root with apt-get it is installed; elsewhere the one command that is missing is
printed, and the suite does not begin without it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable

PACKAGES = {"chromium": "chromium"}
"""Program → Debian package."""

Run = Callable[[list[str]], int]


def missing() -> list[str]:
    """The packages whose programs are not on PATH."""
    return sorted(package for program, package in PACKAGES.items() if shutil.which(program) is None)


def command(packages: list[str]) -> str:
    """What installs them, for a person to type."""
    return f"apt-get install -y {' '.join(packages)}"


def prepare(run: Run | None = None, *, root: bool | None = None) -> str | None:
    """Install what is missing. None when all is there, else what to tell the person."""
    packages = missing()
    if not packages:
        return None
    may = (os.geteuid() == 0 if root is None else root) and shutil.which("apt-get") is not None
    if may:
        install(packages, run or _quietly)
    left = missing()
    return f"Missing on this machine: {command(left)}" if left else None


def install(packages: list[str], run: Run) -> None:
    """With the lists that are there, and with fresh ones when those are too old or absent."""
    wanted = ["apt-get", "install", "-y", "--no-install-recommends", *packages]
    if run(wanted) != 0 and run(["apt-get", "update"]) == 0:
        run(wanted)


def _quietly(words: list[str]) -> int:
    print(" ".join(words), flush=True)  # noqa: T201 — what is done to the machine is said
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(words, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False)
    return done.returncode
