"""The whole of `manage.py demo`, as a process of its own with the real server, worker and agent."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.databases import Database
from tests.servers import processes
from tests.servers.ports import free_port

MANAGE = processes.ROOT / "manage.py"
START_SECONDS = 90


class Demo:
    """A demo that was started; `said` is what it printed so far."""

    def __init__(self, var: Path, port: int, log: Path, **settings: str) -> None:
        self.var, self.log = var, log
        environment = processes.child_environment(LENS_VAR=str(var), **settings)
        command = [sys.executable, str(MANAGE), "demo", "--port", str(port)]
        self.process = processes.start(command, log=log, environment=environment)

    @property
    def said(self) -> str:
        return self.log.read_text(encoding="utf-8")

    def wait_until_it_serves(self) -> dict[str, Any]:
        """What its run.json says."""
        processes.wait_until(
            lambda: "Ctrl-C ends it." in self.said,
            process=self.process,
            log=self.log,
            what="the demo",
            seconds=START_SECONDS,
        )
        written: dict[str, Any] = json.loads((self.var / "run.json").read_text())
        return written

    def children(self) -> dict[str, int]:
        """The process ids by name, as it printed them."""
        return {name: int(pid) for name, pid in re.findall(r"(\w+) is ready .*process (\d+), log", self.said)}


StartDemo = Callable[..., Demo]


@pytest.fixture
def start_demo(tmp_path: Path) -> Iterator[StartDemo]:
    started: list[Demo] = []

    def start(port: int, **settings: str) -> Demo:
        started.append(Demo(tmp_path / "var", port, tmp_path / f"demo-{len(started)}.log", **settings))
        return started[-1]

    yield start
    for demo in started:
        processes.end(demo.process)


def is_alive(pid: int) -> bool:
    """Whether it runs; a process that has ended and that nobody has buried does not."""
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until_all_ended(pids: list[int], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while alive := [pid for pid in pids if is_alive(pid)]:
        assert time.monotonic() < deadline, f"still there: {alive}"
        time.sleep(0.02)


@pytest.mark.timeout(240)
def test_a_first_run_then_a_second_one(start_demo: StartDemo, tmp_path: Path) -> None:
    port = free_port()
    first = start_demo(port)
    was = first.wait_until_it_serves()

    # It shows what an agent saw, and writes down where everything is for its owner alone.
    assert re.search(r"migrated: \d+ migrations", first.said)
    for uri in ("lens://pairs", "lens://venues", "lens://openapi.json", "lens://status"):
        assert f"    read {uri}, " in first.said
    assert "at most 5.00 a day, 5.00 of it left" in first.said
    base = f"http://127.0.0.1:{port}"
    files = [file for file in (tmp_path / "var").rglob("*") if file.is_file()]
    assert {"run.json", "lens.sqlite3", "web.log", "secret_key"} <= {file.name for file in files}
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
    assert was == {
        "mcpUrl": f"{base}/mcp",
        "sseUrl": f"{base}/sse",
        "apiUrl": f"{base}/api/v1",
        "adminUrl": f"{base}/admin/",
        "adminUser": "admin",
        "adminPassword": was["adminPassword"],
        "agentKey": was["agentKey"],
        "network": "stellar:local",
        "rpcUrl": was["rpcUrl"],
        "sellerUrl": was["sellerUrl"],
        "facilitatorUrl": f"{base}/facilitator",
    }
    assert f"user admin, password {was['adminPassword']}" in first.said
    assert was["agentKey"] not in first.said
    assert logs_in(tmp_path / "var") == [
        *("agent.log", "demo.log", "ledger.log", "payer.log", "seller.log", "web.log", "worker.log")
    ]

    # Somebody paid the seller once: the money moved, and the ledger says by which transaction.
    assert f"    GET {was['sellerUrl']}/weather/Berlin\n" in first.said
    assert re.search(r"transaction [0-9a-f]{64}\n +ledger +\d+, SUCCESS", first.said)
    assert "payer  10.0000000 -> 9.9500000 USDC" in first.said
    assert "seller 0.0000000 -> 0.0500000 USDC" in first.said

    # A second one on the same folder is refused, and the first does not notice.
    refused = subprocess.run(
        [sys.executable, str(MANAGE), "demo"],
        env=processes.child_environment(LENS_VAR=str(tmp_path / "var")),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert refused.returncode == 1
    assert f"A demo already runs with {tmp_path / 'var'}: process {first.process.pid}." in refused.stderr
    assert "Traceback" not in refused.stderr

    # TERM ends all of it within three seconds, open streams or not.
    with open_stream(port, was["agentKey"]):
        children = [*first.children().values()]
        assert len(children) == 4
        asked = time.monotonic()
        first.process.send_signal(signal.SIGTERM)
        assert first.process.wait(10) == 0
        assert time.monotonic() - asked < 3
        assert not any(map(is_alive, children))
    assert "stopped by TERM" in first.said

    # The second run keeps agent, key and password, does not print it again, and moves away from a taken port.
    with socket.create_server(("127.0.0.1", port)):
        second = start_demo(port)
        now = second.wait_until_it_serves()
    assert now["mcpUrl"] != was["mcpUrl"]
    assert f"port {port} is taken: web gets " in second.said
    assert (now["agentKey"], now["adminPassword"]) == (was["agentKey"], was["adminPassword"])
    assert "migrated: nothing was missing" in second.said
    assert "seeded: nothing, it was done before" in second.said
    assert "password as the first run printed it" in second.said
    assert was["adminPassword"] not in second.said
    assert "ledger of stellar:local: accounts are there" in second.said
    assert "payer  9.9500000 -> 9.9000000 USDC" in second.said

    # A program that dies takes the rest with it, and the end of its log is shown.
    children_of_second = second.children()
    os.kill(children_of_second["web"], signal.SIGKILL)
    assert second.process.wait(10) == 1
    assert "The demo failed. web ended with signal SIGKILL. The end of " in second.said
    assert '"POST /mcp" 200' in second.said
    assert not any(map(is_alive, children_of_second.values()))


@pytest.mark.timeout(120)
def test_kill_9_ends_the_children_too(start_demo: StartDemo, cloned_database: Database) -> None:
    demo = start_demo(free_port(), DATABASE_URL=cloned_database.url)
    demo.wait_until_it_serves()
    children = [*demo.children().values()]
    assert len(children) == 4
    assert all(map(is_alive, children))
    demo.process.kill()
    demo.process.wait(10)
    wait_until_all_ended(children, seconds=3)


def logs_in(var: Path) -> list[str]:
    return sorted(path.name for path in (var / "log").iterdir())


@contextmanager
def open_stream(port: int, key: str) -> Iterator[None]:
    """A client that listens on /sse, as agents do."""
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        client.request("GET", "/sse", headers={"Authorization": f"Bearer {key}", "Accept": "text/event-stream"})
        response = client.getresponse()
        assert response.status == 200
        assert b"event: endpoint" in response.readline() + response.readline() + response.readline()
        yield
    finally:
        client.close()
