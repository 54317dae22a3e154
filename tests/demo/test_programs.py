from __future__ import annotations

import http.server
import json
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.db import connection

from lensproject.core import clock, leases
from lensproject.management.demo import programs
from lensproject.management.demo.programs import PROGRAMS, Started
from tests.servers.ports import free_port


@contextmanager
def answering(status: int, body: bytes) -> Iterator[int]:
    """A web server that says the same to everybody; gives its port."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == "/readyz" else 404)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            return None

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


def asked(port: int) -> str | None:
    return programs.readyz(Started(pid=1, port=port))()


def test_a_web_server_that_is_ready_answers_200() -> None:
    with answering(200, b'{"status": "ready"}') as port:
        assert asked(port) is None


def test_one_that_is_not_ready_is_quoted_with_its_checks() -> None:
    body = json.dumps({"status": "not ready", "checks": {"database": "does not answer", "redis": "answers"}})
    with answering(503, body.encode()) as port:
        assert asked(port) == "/readyz answers 503: database does not answer, redis answers"


@pytest.mark.parametrize("body", [b"<h1>busy</h1>", b"[]", b'{"checks": 5}', b""])
def test_any_other_answer_is_quoted_as_it_is(body: bytes) -> None:
    with answering(502, body) as port:
        answer = asked(port)
    assert answer is not None
    assert answer.startswith("/readyz answers 502: ")


def test_a_port_on_which_nobody_listens_is_no_answer() -> None:
    assert asked(free_port()) == "/readyz does not answer (ConnectionRefusedError)"


def test_a_server_that_speaks_no_http_is_no_answer() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def hang_up() -> None:
            peer, _ = server.accept()
            peer.recv(1000)
            peer.sendall(b"220 mail\r\n")
            peer.close()

        thread = threading.Thread(target=hang_up)
        thread.start()
        answer = asked(server.getsockname()[1])
        thread.join()
    assert answer == "/readyz does not answer (BadStatusLine)"


def worker_lease(pid: int) -> str:
    return f"worker:{socket.gethostname()[:32]}-{pid}-0011aabb"


@pytest.mark.django_db
def test_a_worker_is_ready_when_its_own_lease_holds() -> None:
    ask = programs.has_lease(Started(pid=4711, port=None))
    leases.take(worker_lease(471), "another", 30)
    leases.take(worker_lease(47110), "another", 30)
    assert ask() == "it has no lease"
    leases.take(worker_lease(4711), "itself", 30)
    assert ask() is None


@pytest.mark.django_db
def test_the_lease_of_a_dead_worker_of_the_same_number_does_not_count() -> None:
    with clock.frozen(clock.now() - timedelta(minutes=5)):
        leases.take(worker_lease(4711), "killed", 30)
    assert programs.has_lease(Started(pid=4711, port=None))() == "it has no lease"


@pytest.mark.django_db
def test_a_database_that_goes_away_while_the_worker_starts_is_an_answer() -> None:
    ask = programs.has_lease(Started(pid=1, port=None))
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE core_lease RENAME TO core_lease_away")
    answer = ask()
    assert answer is not None
    assert answer.startswith("the database does not answer (")


def test_the_programs_have_names_and_ports_of_their_own() -> None:
    assert [program.name for program in PROGRAMS] == ["web", "worker", "ledger", "seller"]
    assert {program.name: program.port for program in PROGRAMS if program.listens} == {
        "web": 0, "seller": 1, "ledger": 2,
    }  # fmt: skip
    assert all(("{fd}" in program.command) == program.listens for program in PROGRAMS)


def test_the_ledger_comes_first_and_the_seller_needs_what_is_seeded() -> None:
    assert [program.name for program in PROGRAMS if program.first] == ["ledger"]
    needs = {program.name: program.needs() for program in PROGRAMS}
    assert needs["ledger"] == {"{ledger_file}"}
    assert needs["seller"] == {"{network}", "{asset}", "{pay_to}", "{facilitator}"}
    assert needs["web"] == needs["worker"] == set()


def test_a_page_at_the_root_says_that_a_program_serves() -> None:
    with answering(200, b"") as port:
        assert programs.serves(Started(pid=1, port=port))() == "it answers 404"
    assert programs.serves(Started(pid=1, port=free_port()))() == "it does not answer (ConnectionRefusedError)"


def test_settling_is_open_in_a_demo_unless_the_operator_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LENS_FACILITATOR_OPEN", raising=False)
    assert programs.environment("http://127.0.0.1:8001")["LENS_FACILITATOR_OPEN"] == "true"
    monkeypatch.setenv("LENS_FACILITATOR_OPEN", "false")
    assert programs.environment("http://127.0.0.1:8001")["LENS_FACILITATOR_OPEN"] == "false"


def test_the_programs_are_told_where_they_are_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LENS_PUBLIC_URL", raising=False)
    monkeypatch.setenv("LENS_LOG_FORMAT", "json")
    given = programs.environment("http://127.0.0.1:8001")
    assert given["LENS_PUBLIC_URL"] == "http://127.0.0.1:8001"
    assert given["LENS_LOG_FORMAT"] == "json"
    assert given["PATH"] == os.environ["PATH"]


@pytest.mark.parametrize("name", ["LENS_PUBLIC_URL", "LENS_PUBLIC_URL_FILE"])
def test_an_address_that_the_operator_set_stays(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.delenv("LENS_PUBLIC_URL", raising=False)
    monkeypatch.setenv(name, "https://lens.example")
    given = programs.environment("http://127.0.0.1:8001")
    assert given[name] == "https://lens.example"
    assert {"LENS_PUBLIC_URL", "LENS_PUBLIC_URL_FILE"} & given.keys() == {name}


def test_an_empty_address_counts_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LENS_PUBLIC_URL", "")
    assert programs.environment("http://127.0.0.1:8001")["LENS_PUBLIC_URL"] == "http://127.0.0.1:8001"


def test_the_agent_gets_an_address_and_a_key_and_no_setting_of_the_platform() -> None:
    inherited = {
        "PATH": "/bin",
        "DATABASE_URL": "postgres://lens:secret@db/lens",
        "REDIS_URL": "redis://cache",
        "LENS_SECRET_KEY": "k" * 40,
        "DJANGO_SETTINGS_MODULE": "lensproject.settings",
    }
    given = programs.agent_environment(inherited, "http://127.0.0.1:8000/mcp", "lens_key")
    assert given == {"PATH": "/bin", "MCP_URL": "http://127.0.0.1:8000/mcp", "MCP_KEY": "lens_key"}
