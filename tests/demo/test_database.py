from __future__ import annotations

import logging
import re

import pytest
from django.db import connection
from pytest_django import Settings

from lensproject.management.demo import database
from lensproject.management.demo.faults import DemoFailed
from tests.databases import Database, pointed_at
from tests.servers.ports import free_port


@pytest.mark.django_db
def test_a_database_that_is_up_to_date_needs_no_migration() -> None:
    database.reach()
    assert database.migrate() == 0


def test_the_place_names_the_database_and_no_password(cloned_database: Database) -> None:
    place = database.place()
    assert cloned_database.name in place
    assert place.startswith(("SQLite in ", "PostgreSQL, "))
    with pointed_at(Database("postgres://lens:hunter2@db.example:5433/bazaar")):
        connection.settings_dict["PASSWORD"] = "hunter2"
        assert "hunter2" not in database.place()


def test_a_database_that_is_away_is_named_with_its_reason(cloned_database: Database) -> None:
    if connection.vendor == "sqlite":
        away, reason = "sqlite:////nowhere/at/all.sqlite3", "unable to open database file"
    else:
        away, reason = f"postgres://lens@127.0.0.1:{free_port()}/lens", "refused"
    with pointed_at(Database(away)), pytest.raises(DemoFailed) as failed:
        database.reach()
    message = str(failed.value)
    assert message.startswith("The database does not answer (")
    assert reason in message
    assert re.search(r"\w[.?] Look at DATABASE_URL\.$", message)
    assert "\n" not in message


def test_a_broken_migration_is_named_with_its_fault_and_logged_with_its_traceback(
    cloned_database: Database, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.MIGRATION_MODULES = {"core": "tests.demo.broken_migrations"}
    with caplog.at_level(logging.ERROR), pytest.raises(DemoFailed) as failed:
        database.migrate()
    assert str(failed.value) == (
        "Migrating the database failed: LookupError: there is no such thing. It was core.0002_breaks."
    )
    assert "the migrations failed after" in caplog.text
    assert "in break_it" in caplog.text


def test_afterwards_no_connection_is_held(cloned_database: Database) -> None:
    database.reach()
    assert connection.connection is not None
    database.leave()
    assert connection.connection is None
