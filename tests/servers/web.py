"""The platform as a real process: Daphne or uvicorn on a free port, asked until it answers."""

from __future__ import annotations

import http.client
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.servers import processes
from tests.servers.ports import free_port

APPLICATION = "lensproject.asgi:application"
KINDS = ("daphne", "uvicorn")


@dataclass(frozen=True)
class WebServer:
    """A server that has answered /healthz. `log` has its output, `var` is its LENS_VAR."""

    kind: str
    port: int
    process: subprocess.Popen[bytes]
    log: Path
    var: Path

    @property
    def url(self) -> str:
        """Without a slash at its end."""
        return f"http://127.0.0.1:{self.port}"

    def stop(self) -> int:
        """End it as an operator does, by SIGTERM. Returns the exit status; it is negative when that did not do."""
        return processes.end(self.process)

    def tail(self) -> str:
        return processes.tail(self.log)


@contextmanager
def serving(
    kind: str, *, database_url: str, var: Path, environment: Mapping[str, str] | None = None, port: int | None = None
) -> Iterator[WebServer]:
    """A running server on `database_url`, ended afterwards. `environment` adds settings to the least there is."""
    port = free_port() if port is None else port
    var.mkdir(parents=True, exist_ok=True)
    log = var / f"{kind}-{port}.log"
    process = processes.start(command(kind, port), log=log, environment=settings(database_url, var, environment or {}))
    try:
        processes.wait_until(lambda: is_healthy(port), process=process, log=log, what=kind)
        yield WebServer(kind, port, process, log, var)
    finally:
        processes.end(process)


def command(kind: str, port: int) -> list[str]:
    if kind not in KINDS:
        raise ValueError(f"{kind!r} is no server; there are {', '.join(KINDS)}")
    address = ["-b", "127.0.0.1", "-p"] if kind == "daphne" else ["--no-use-colors", "--host", "127.0.0.1", "--port"]
    return [sys.executable, "-m", kind, *address, str(port), APPLICATION]


def settings(database_url: str, var: Path, more: Mapping[str, str]) -> dict[str, str]:
    """The environment of a process of the platform: server, worker or command."""
    return processes.child_environment(
        DJANGO_SETTINGS_MODULE="lensproject.settings", DATABASE_URL=database_url, LENS_VAR=str(var), **more
    )


def is_healthy(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
