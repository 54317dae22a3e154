"""Two tables to put triggers on, in a database of the test's own; what a test declares is forgotten after it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection

from lensproject.core import triggers
from tests.databases import Database

TABLES = (
    "CREATE TABLE scratch_parent (id integer PRIMARY KEY, organisation integer NOT NULL)",
    "CREATE TABLE scratch_child "
    "(id integer PRIMARY KEY, parent_id integer, organisation integer, note varchar(40) UNIQUE)",
    "INSERT INTO scratch_parent VALUES (1, 10), (2, 20)",
)


@pytest.fixture
def tables(cloned_database: Database) -> Iterator[None]:
    """`scratch_parent` with rows 1 (organisation 10) and 2 (organisation 20), and `scratch_child`, empty."""
    run(*TABLES)
    with triggers.scratch():
        yield


def run(*statements: str) -> None:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def rows(query: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return [tuple(row) for row in cursor.fetchall()]


def our_triggers(table: str) -> list[str]:
    """The triggers of ours on `table`, as the database lists them."""
    if connection.vendor == "sqlite":
        query = "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = %s AND name LIKE 'lens%%'"
    else:
        query = "SELECT tgname FROM pg_trigger WHERE tgrelid = %s::regclass AND tgname LIKE 'lens%%'"
    with connection.cursor() as cursor:
        cursor.execute(f"{query} ORDER BY 1", [table])
        return [name for (name,) in cursor.fetchall()]


def our_functions() -> list[str]:
    """The functions behind triggers of ours (PostgreSQL); SQLite has none."""
    if connection.vendor == "sqlite":
        return []
    return [name for (name,) in rows("SELECT proname FROM pg_proc WHERE proname LIKE 'lens_%' ORDER BY 1")]
