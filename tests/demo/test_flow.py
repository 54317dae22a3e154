"""The order of events, with small programs in place of the platform's: what happens when one of them fails."""

from __future__ import annotations

import contextlib
import gc
import io
import json
import os
import re
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from pytest_django import Settings

from lensproject.environment import Environment
from lensproject.management.demo import flow, folder, programs
from lensproject.management.demo.programs import Program, Started, readyz
from lensproject.management.demo.waiting import Ask
from payments.models import ApiKey
from tests.builders import make_network
from tests.databases import Database, pointed_at
from tests.servers.ports import free_port

WEB = """
import http.server, socket, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers()
server = http.server.HTTPServer(("127.0.0.1", 0), Handler, bind_and_activate=False)
server.socket = socket.socket(fileno=int(sys.argv[1]))
server.serve_forever()
"""
WORKER = "import time; print('working', flush=True); time.sleep(60)"
FAIL = "print('the reason', flush=True); raise SystemExit(3)"
LATE_FAILURE = f"import time; time.sleep(0.5); {FAIL}"
AGENT = "import os; print('saw', os.environ['MCP_URL'])"


def at_once(started: Started) -> Ask:
    return lambda: None


def python(code: str, *arguments: str) -> tuple[str, ...]:
    return (sys.executable, "-c", code, *arguments)


class Demo:
    """Runs the command in this process, and says what came out of it."""

    def __init__(self, var: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.var = var
        self.port = free_port()
        self.monkeypatch = monkeypatch
        self.out, self.err = io.StringIO(), io.StringIO()
        self.with_programs()

    def with_programs(self, *, web: str = WEB, worker: str = WORKER, agent: str = AGENT) -> Demo:
        found = (
            Program("web", python(web, "{fd}"), readyz, listens=True),
            Program("worker", python(worker), at_once),
        )
        self.monkeypatch.setattr(flow, "PROGRAMS", found)
        self.monkeypatch.setattr(programs, "AGENT", python(agent))
        return self

    def run(self) -> int:
        """The exit status. A demo that serves is asked to end as soon as its run.json is there."""
        over = threading.Event()

        def stop_when_it_serves() -> None:
            while not over.wait(0.05):
                if (self.var / "run.json").exists():
                    os.kill(os.getpid(), signal.SIGTERM)
                    return

        watcher = threading.Thread(target=stop_when_it_serves)
        watcher.start()
        try:
            call_command("demo", port=self.port, stdout=self.out, stderr=self.err, skip_checks=True)
        except SystemExit as ended:
            return int(ended.code or 0)
        finally:
            over.set()
            watcher.join()
        return 0

    def pids(self) -> list[int]:
        return [int(pid) for pid in re.findall(r"process (\d+), log", self.out.getvalue())]


@pytest.fixture
def demo(
    cloned_database: Database, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Demo]:
    settings.LENS = Environment(var=tmp_path / "var")
    yield Demo(tmp_path / "var", monkeypatch)
    gc.unfreeze()


@pytest.fixture
def taken() -> Iterator[Callable[[int], None]]:
    """Takes a port for as long as the test runs."""
    with contextlib.ExitStack() as holders:

        def take(port: int) -> None:
            holders.enter_context(socket.create_server(("127.0.0.1", port)))

        yield take


def has_ended(pid: int) -> bool:
    return not (Path("/proc") / str(pid)).exists()


def test_it_starts_shows_serves_and_ends_when_it_is_asked_to(demo: Demo) -> None:
    assert demo.run() == 0
    said = demo.out.getvalue()
    steps = re.findall(r"^ +\d+\.\d s  (.*)$", said, re.M)
    assert [step.split(" ")[0] for step in steps] == [
        *("files", "database:", "migrated:", "seeded:", "web", "worker", "examples/agent.py", "everything"),
        *("ended:", "stopped"),
    ]
    assert f"    saw http://127.0.0.1:{demo.port}/mcp\n" in said
    assert steps[-2:] == ["ended: web, worker", "stopped by TERM"]
    assert demo.err.getvalue() == ""
    assert len(demo.pids()) == 2
    assert all(map(has_ended, demo.pids()))


def test_a_program_that_fails_is_shown_with_the_end_of_its_log(demo: Demo) -> None:
    assert demo.with_programs(worker=LATE_FAILURE, agent="import time; time.sleep(20)").run() == 1
    assert demo.err.getvalue().rstrip() == (
        f"\nThe demo failed. worker ended with status 3. The end of {demo.var}/log/worker.log:\n\nthe reason"
    )
    assert not (demo.var / "run.json").exists()
    assert all(map(has_ended, demo.pids()))


def test_a_program_that_ends_at_once_is_shown_with_the_end_of_its_log(demo: Demo) -> None:
    assert demo.with_programs(web=FAIL).run() == 1
    assert "web ended with status 3" in demo.err.getvalue()
    assert "the reason" in demo.err.getvalue()


def test_an_agent_that_fails_ends_all_and_is_shown_with_the_end_of_its_log(demo: Demo) -> None:
    assert demo.with_programs(agent=FAIL).run() == 1
    assert "agent ended with status 3" in demo.err.getvalue()
    assert "the reason" in demo.err.getvalue()
    assert "everything answers" not in demo.out.getvalue()
    assert not (demo.var / "run.json").exists()
    assert all(map(has_ended, demo.pids()))


def test_what_a_failed_start_made_is_kept_by_the_next_one(demo: Demo) -> None:
    demo.with_programs(agent=FAIL).run()
    assert demo.with_programs().run() == 0
    assert "seeded: nothing, it was done before" in demo.out.getvalue()
    assert ApiKey.objects.count() == 1
    written = json.loads((demo.var / "run.json").read_text())
    assert written["adminPassword"]
    assert written["agentKey"].startswith("lens_")


def test_without_a_key_no_agent_looks_around_and_the_rest_goes_on(demo: Demo) -> None:
    make_network().delete()
    assert demo.with_programs(agent=FAIL).run() == 0
    assert "no agent looks around: of its key, there is none" in demo.out.getvalue()
    assert json.loads((demo.var / "run.json").read_text())["agentKey"] is None


def test_a_database_that_is_away_is_one_sentence(demo: Demo) -> None:
    away = {
        "sqlite": "sqlite:////nowhere/at/all.sqlite3",
        "postgresql": f"postgres://lens@127.0.0.1:{free_port()}/lens",
    }
    with pointed_at(Database(away[connection.vendor])):
        assert demo.run() == 1
    assert "The demo failed. The database does not answer (" in demo.err.getvalue()
    assert "Traceback" not in demo.err.getvalue()
    assert demo.pids() == []


def test_a_second_demo_on_the_same_folder_is_refused_and_harms_nothing(demo: Demo) -> None:
    with folder.held(demo.var):
        (demo.var / "run.json").write_text("{}")
        assert demo.run() == 1
    assert f"A demo already runs with {demo.var}: process {os.getpid()}." in demo.err.getvalue()
    assert (demo.var / "run.json").read_text() == "{}"


def test_it_stays_away_from_real_money(demo: Demo, settings: Settings) -> None:
    settings.LENS = Environment(var=demo.var, mainnet_enabled=True)
    assert demo.run() == 1
    assert "LENS_MAINNET_ENABLED is set" in demo.err.getvalue()
    assert not demo.var.exists()


def test_what_was_seeded_differently_is_told_in_words(demo: Demo, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise ValidationError("Another seller has this address.")

    monkeypatch.setattr("lensproject.management.demo.seeding.catalogue.entry", refuse)
    assert demo.run() == 1
    assert "Seeding failed, and nothing of it was kept: Another seller has this address." in demo.err.getvalue()
    assert not ApiKey.objects.exists()


@pytest.mark.parametrize("text", ["0", "65536", "-1", "eighty", ""])
def test_what_is_no_port_is_refused(text: str) -> None:
    with pytest.raises(CommandError, match="port"):
        call_command("demo", f"--port={text}", skip_checks=True)


def test_a_taken_port_is_said_and_the_next_one_is_written_down(demo: Demo, taken: Callable[[int], None]) -> None:
    taken(demo.port)
    assert demo.run() == 0
    port = json.loads((demo.var / "run.json").read_text())["mcpUrl"].split(":")[2].split("/")[0]
    assert int(port) > demo.port
    assert f"port {demo.port} is taken: web gets {port}" in demo.out.getvalue()
