"""The databases of the tests themselves: clones that commit, are apart from each other, and are gone afterwards."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import psycopg
import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import User
from django.db import connection, connections, transaction

from lensproject.core import pool, triggers
from tests.databases import (
    Database,
    Databases,
    PostgresDatabases,
    chosen_engine,
    cloned,
    disconnect,
    migrated_template,
    pointed_at,
)
from tests.servers.postgres import url
from tests.servers.processes import ROOT
from tests.servers.web import settings as settings_of_a_process

COUNT = "import django; django.setup(); from django.contrib.auth.models import User; print(User.objects.count())"


def exists(databases: Databases, database: Database) -> bool:
    if not isinstance(databases, PostgresDatabases):
        return Path(database.name).exists()
    with psycopg.connect(url(databases.server, "postgres")) as maintenance:
        found = maintenance.execute("SELECT 1 FROM pg_database WHERE datname = %s", [database.name]).fetchone()
    return found is not None


def names() -> list[str]:
    return [user.username for user in User.objects.order_by("username")]


@pytest.mark.parametrize("name", ["one", "two"])
def test_what_a_test_wrote_in_its_transaction_the_next_does_not_see(db: None, name: str) -> None:
    assert names() == []
    User.objects.create(username=name)
    assert names() == [name]


@pytest.mark.parametrize("name", ["one", "two"])
def test_what_a_test_committed_in_its_clone_the_next_does_not_see(cloned_database: Database, name: str) -> None:
    assert names() == []
    with transaction.atomic(durable=True):
        User.objects.create(username=name)
    assert names() == [name]


def test_the_suite_runs_on_the_engine_that_was_asked_for(cloned_database: Database) -> None:
    assert connection.vendor == chosen_engine()
    assert cloned_database.url.partition(":")[0] == {"sqlite": "sqlite", "postgresql": "postgres"}[connection.vendor]
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            assert cursor.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_threads_see_what_was_committed(cloned_database: Database) -> None:
    User.objects.create(username="committed")
    seen: list[str] = []

    def look() -> None:
        seen.extend(names())
        connections.close_all()

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen == ["committed"]


def test_steps_of_asynchronous_code_run_in_threads_of_the_pool(cloned_database: Database) -> None:
    def step() -> str:
        User.objects.create(username="step")
        return threading.current_thread().name

    async def flow() -> str:
        return await pool.write(step)

    assert async_to_sync(flow)().startswith("pool-")
    assert names() == ["step"]


def test_a_child_process_works_on_the_same_database(cloned_database: Database, tmp_path: Path) -> None:
    User.objects.create(username="committed")
    child = subprocess.run(
        [sys.executable, "-c", COUNT],
        cwd=ROOT,
        env=settings_of_a_process(cloned_database.url, tmp_path, {}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (child.returncode, child.stdout) == (0, "1\n"), child.stderr


def test_two_clones_are_apart(cloned_database: Database, databases: Databases, template_database: Database) -> None:
    User.objects.create(username="first")
    with cloned(databases, template_database) as other:
        with pointed_at(other):
            assert names() == []
            User.objects.create(username="second")
        assert names() == ["first"]
        assert exists(databases, other)
    assert not exists(databases, other)
    assert names() == ["first"]


def test_a_clone_is_dropped_while_somebody_is_connected(databases: Databases, template_database: Database) -> None:
    with cloned(databases, template_database) as clone:
        held = psycopg.connect(clone.url) if chosen_engine() == "postgresql" else sqlite3.connect(clone.name)
    assert not exists(databases, clone)
    held.close()


def test_leaving_a_clone_closes_the_connections_of_every_thread(
    cloned_database: Database, databases: Databases, template_database: Database
) -> None:
    asked, leave = threading.Event(), threading.Event()
    found: list[bool] = []

    def stay_connected() -> None:
        User.objects.exists()
        asked.set()
        leave.wait(10)
        found.append(connection.connection is None)

    with cloned(databases, template_database) as other, pointed_at(other):
        thread = threading.Thread(target=stay_connected)
        thread.start()
        assert asked.wait(10)
        disconnect()
        leave.set()
        thread.join()
    assert found == [True]


def test_settings_are_as_before_after_a_clone(
    cloned_database: Database, databases: Databases, template_database: Database
) -> None:
    before = dict(connections.settings["default"])
    with cloned(databases, template_database) as other, pointed_at(other):
        assert connection.settings_dict["NAME"] == other.name
    assert connections.settings["default"] == before
    assert connection.settings_dict["NAME"] == cloned_database.name


def test_the_template_is_built_once(databases: Databases, template_database: Database) -> None:
    built = (databases.folder / "template.url").stat().st_mtime_ns
    assert migrated_template(databases) == template_database
    assert (databases.folder / "template.url").stat().st_mtime_ns == built


def test_nobody_connects_to_the_template(template_database: Database) -> None:
    if chosen_engine() == "postgresql":
        with pytest.raises(psycopg.OperationalError, match="not currently accepting connections"):
            psycopg.connect(template_database.url)
    else:
        # A WAL would hold what a copy of the file lacks.
        assert sorted(path.name for path in Path(template_database.name).parent.glob("template_*")) == [
            "template_migrated.sqlite3"
        ]


def test_triggers_come_with_the_template(cloned_database: Database) -> None:
    assert triggers.declared()
    assert triggers.verify() == ()


def test_an_engine_that_is_not_known_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LENS_TEST_DATABASE", "oracle")
    with pytest.raises(SystemExit, match="LENS_TEST_DATABASE is 'oracle'; it may be sqlite or postgresql"):
        chosen_engine()
