"""Databases of the tests: one migrated template a session, and clones of it in milliseconds.

LENS_TEST_DATABASE says where: `sqlite` (a file with a WAL, the default) or `postgresql` (the server of
tests.servers.postgres). A clone is dropped when it was used. Nothing is ever flushed.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

import psycopg
from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from psycopg import sql

from lensproject.databases import DatabaseUrl
from tests.servers.postgres import url as postgres_url

TEMPLATE = "template_migrated"


def chosen_engine() -> str:
    """`sqlite` or `postgresql`, as LENS_TEST_DATABASE says."""
    engine = os.environ.get("LENS_TEST_DATABASE", "sqlite")
    if engine not in ("sqlite", "postgresql"):
        raise SystemExit(f"LENS_TEST_DATABASE is {engine!r}; it may be sqlite or postgresql.")
    return engine


@dataclass(frozen=True)
class Database:
    """A database that stands: its `url` is a DATABASE_URL for child processes."""

    url: str

    @property
    def name(self) -> str:
        """A file's path on SQLite, a database's name on PostgreSQL."""
        return DatabaseUrl.parse(self.url).name


class Databases(Protocol):
    """Where databases are made. Every process of a test session has one that looks at the same place."""

    folder: Path
    """What the processes of the session share."""

    def create(self, name: str) -> Database: ...

    def seal(self, template: Database) -> None:
        """Make a template ready for cloning; nobody may be connected to it any more."""

    def clone(self, template: Database, name: str) -> Database: ...

    def drop(self, database: Database) -> None: ...


class SqliteDatabases:
    """Databases as files in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def create(self, name: str) -> Database:
        return Database(f"sqlite:///{quote(str(self.folder / name))}.sqlite3")

    def seal(self, template: Database) -> None:
        if Path(f"{template.name}-wal").exists():
            raise RuntimeError("somebody is still connected to the template: its WAL is there")

    def clone(self, template: Database, name: str) -> Database:
        clone = self.create(name)
        shutil.copyfile(template.name, clone.name)
        return clone

    def drop(self, database: Database) -> None:
        for suffix in ("", "-wal", "-shm"):
            Path(database.name + suffix).unlink(missing_ok=True)


class PostgresDatabases:
    """Databases on the server whose socket is in `server`."""

    def __init__(self, folder: Path, server: Path) -> None:
        self.folder = folder
        self.server = server

    def create(self, name: str) -> Database:
        self._execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        return Database(postgres_url(self.server, name))

    def seal(self, template: Database) -> None:
        self._execute(sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS false").format(sql.Identifier(template.name)))

    def clone(self, template: Database, name: str) -> Database:
        names = sql.Identifier(name), sql.Identifier(template.name)
        # FILE_COPY is the faster strategy where checkpoints cost nothing.
        self._execute(sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY").format(*names))
        return Database(postgres_url(self.server, name))

    def drop(self, database: Database) -> None:
        # FORCE ends the connections of a child process that is still on its way out.
        self._execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(database.name)))

    def _execute(self, statement: sql.Composed) -> None:
        with psycopg.connect(postgres_url(self.server, "postgres"), autocommit=True) as connection:
            connection.execute(statement)


def migrated_template(databases: Databases) -> Database:
    """The migrated template of the session. The first process that asks builds it, the others wait for it."""
    ready = databases.folder / "template.url"
    with (databases.folder / "template.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not ready.exists():
            template = databases.create(TEMPLATE)
            with pointed_at(template):
                call_command("migrate", verbosity=0, interactive=False)
            databases.seal(template)
            ready.write_text(template.url)
    return Database(ready.read_text())


@contextmanager
def cloned(databases: Databases, template: Database) -> Iterator[Database]:
    """A clone of the template with a name of its own, dropped afterwards."""
    clone = databases.clone(template, f"clone_{secrets.token_hex(6)}")
    try:
        yield clone
    finally:
        databases.drop(clone)


@contextmanager
def pointed_at(database: Database) -> Iterator[None]:
    """Django's default connection, of all threads, goes to `database`."""
    # One dictionary that the connections of all threads read when they connect.
    settings: dict[str, Any] = connections.settings[DEFAULT_DB_ALIAS]
    before = dict(settings)
    disconnect()
    parsed = DatabaseUrl.parse(database.url)
    settings.update(NAME=parsed.name, USER=parsed.user, HOST=parsed.host, PORT=parsed.port)
    try:
        yield
    finally:
        disconnect()
        settings.clear()
        settings.update(before)


_connected: weakref.WeakSet[BaseDatabaseWrapper] = weakref.WeakSet()


def _remember(connection: BaseDatabaseWrapper, **_: object) -> None:
    _connected.add(connection)


connection_created.connect(_remember)


def disconnect() -> None:
    """Close the connections of every thread, and the pool behind them."""
    for connection in list(_connected):
        connection.inc_thread_sharing()
        try:
            connection.close()
        finally:
            connection.dec_thread_sharing()
    close_pool = getattr(connections[DEFAULT_DB_ALIAS], "close_pool", None)
    if close_pool is not None:
        close_pool()
    _connected.clear()
