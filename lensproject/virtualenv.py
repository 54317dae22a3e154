"""Builds `.venv` beside the Makefile from the locked requirements, with nothing but the standard library.

    python3 -I lensproject/virtualenv.py [--dev]

The build happens in a side folder that is moved into place when it is whole, so `.venv` is either complete or absent. A
stamp inside says what it was built from: while that still agrees, nothing is done and no network is needed. A folder
built with `--dev` (requirements-dev.txt, which includes requirements.txt) also serves without it.

This file is run by the system's Python, which may be too old for the project: it must stay readable for Python 3.7.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import hashlib
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

LEAST_PYTHON = (3, 11)
PLAIN = "requirements.txt"
DEV = "requirements-dev.txt"
ROOT = Path(__file__).resolve().parent.parent


class BuildFailed(SystemExit):
    """Ends the process with status 1 and the message on stderr."""


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="virtualenv.py", description="Build .venv from the locked requirements.")
    parser.add_argument("--dev", action="store_true", help="also what the tests and checks need")
    dev = parser.parse_args(arguments).dev
    if sys.version_info < LEAST_PYTHON:
        raise BuildFailed(f"Python 3.11 or newer is needed; {sys.executable} is {python_version()}.")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with locked(ROOT / ".venv.lock") as lock:
        Build(ROOT, dev=dev, lock=lock).run()


@contextlib.contextmanager
def locked(path: Path) -> Iterator[IO[str]]:
    """Hold the lock, waiting for another build when there is one."""
    with path.open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another build to end")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock


class Build:
    """One look at `.venv` under the lock, and a build when it does not agree with what is wanted."""

    def __init__(self, root: Path, *, dev: bool, lock: IO[str]) -> None:
        self.root = root
        self.lock = lock
        self.place = root / ".venv"
        self.side = root / ".venv.new"
        self.old = root / ".venv.old"
        self.stamp = read_stamp(self.place / "stamp.json")
        # What a developer has stays a developer's: else `make run` and `make test` would take turns building.
        self.dev = dev or DEV in self.stamp
        self.wanted = self.facts()

    def facts(self) -> dict[str, str]:
        """What a stamp says: the place, the Python, and the SHA-256 of each requirements file."""
        facts = {"place": str(self.place), "python": f"{python_version()} at {os.path.realpath(sys.executable)}"}
        for name in (PLAIN, DEV) if self.dev else (PLAIN,):
            facts[name] = hashlib.sha256((self.root / name).read_bytes()).hexdigest()
        return facts

    def run(self) -> None:
        for leftover in (self.side, self.old):
            discard(leftover)
        reason = reason_to_build(self.place, self.stamp, self.wanted)
        if reason is None:
            return
        require_ensurepip()
        say(f"building with Python {python_version()}, because {reason}")
        self.fill()
        settle(self.side, self.place)
        (self.side / "stamp.json").write_text(json.dumps(self.wanted, indent=1) + "\n")
        self.move()
        say("ready")

    def fill(self) -> None:
        requirements = self.root / (DEV if self.dev else PLAIN)
        self.step("making the folder", [sys.executable, "-I", "-m", "venv", "--prompt", ".venv", str(self.side)])
        pip = [str(self.side / "bin" / "python"), "-I", "-m", "pip", "--disable-pip-version-check", "--no-input"]
        install = ["install", "--quiet", "--require-hashes", "-r", str(requirements)]
        self.step(f"installing {count(requirements)} packages of {requirements.name}", pip + install)

    def step(self, title: str, command: Sequence[str]) -> None:
        """Run a command, whose output is shown only when it fails.

        It holds the lock as well: when this process is killed, the next build waits until nobody writes any more.
        """
        say(title)
        # A group of its own, so that an interruption ends pip's own children too before the lock is given back.
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=[self.lock.fileno()],
            start_new_session=True,
        )
        try:
            output, _ = child.communicate()
        except BaseException:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            raise
        if child.returncode:
            sys.stderr.write(output.decode(errors="replace"))
            raise BuildFailed(f".venv: {title} failed with status {child.returncode}; what was there is unchanged.")

    def move(self) -> None:
        if os.path.lexists(self.place):
            self.place.rename(self.old)
        self.side.rename(self.place)
        discard(self.old)


def read_stamp(path: Path) -> dict[str, Any]:
    """The facts that a folder was built from; none when it has no readable stamp."""
    try:
        stamp = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def reason_to_build(place: Path, stamp: Mapping[str, Any], wanted: Mapping[str, str]) -> str | None:
    """Why the folder does not do, in words; None when it does."""
    if not os.path.lexists(place):
        return "there is none"
    if not stamp:
        return "the one that is there has no stamp of this script"
    if not os.access(place / "bin" / "python", os.X_OK):
        return "its Python is gone"
    changed = [name for name, fact in wanted.items() if stamp.get(name) != fact]
    return f"{changed[0]} is not what it was built from" if changed else None


def settle(side: Path, place: Path) -> None:
    """Let scripts, activate files and pyvenv.cfg name the final place in place of the side folder."""
    for path in [side / "pyvenv.cfg", *(side / "bin").iterdir()]:
        if path.is_symlink() or not path.is_file():
            continue
        content = path.read_bytes()
        # Compiled programs are not rewritten; they look for nothing by this path.
        if b"\0" not in content and os.fsencode(side) in content:
            path.write_bytes(content.replace(os.fsencode(side), os.fsencode(place)))


def require_ensurepip() -> None:
    """Install Debian's package for it when this may be done, else print the line that does it and stop."""
    if has_ensurepip():
        return
    line = f"apt-get install -y {apt_package()}"
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        print(f"{line}  # as root: {sys.executable} has no ensurepip, without which .venv cannot be built", flush=True)
        raise SystemExit(1)
    say(f"{line} (this Python has no ensurepip)")
    failure = apt_get("install", "-y", apt_package())
    if failure:
        say("apt-get update (the package was not found)")
        failure = apt_get("update") or apt_get("install", "-y", apt_package())
    if failure or not has_ensurepip():
        sys.stderr.write(failure)
        raise BuildFailed(f".venv: {sys.executable} still has no ensurepip after: {line}")


def has_ensurepip() -> bool:
    importlib.invalidate_caches()
    return importlib.util.find_spec("ensurepip") is not None


def apt_package() -> str:
    """`python3-venv` belongs to the system's default Python; every other one has a package with its version."""
    default = os.path.realpath("/usr/bin/python3") == os.path.realpath(sys.executable)
    return "python3-venv" if default else "python{}.{}-venv".format(*sys.version_info)


def apt_get(*arguments: str) -> str:
    """The output of a call that failed; empty when it did its work."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    command = ["apt-get", *arguments]
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment,
        check=False,
    )
    return done.stdout.decode(errors="replace") or "apt-get failed\n" if done.returncode else ""


def discard(path: Path) -> None:
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.exists():
        shutil.rmtree(path)


def count(requirements: Path) -> int:
    return sum(line[:1].isalnum() for line in requirements.read_text().splitlines())


def python_version() -> str:
    return "{}.{}.{}".format(*sys.version_info)


def say(line: str) -> None:
    print(f".venv: {line}", flush=True)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except KeyboardInterrupt:
        say("interrupted; the next run builds it anew")
        raise SystemExit(130) from None
