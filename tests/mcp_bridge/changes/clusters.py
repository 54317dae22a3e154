"""Moving a database into another PostgreSQL cluster, as an operator does: pg_dump and pg_restore."""

from __future__ import annotations

import subprocess
from pathlib import Path

import psycopg
from django.db import connection

from tests.databases import Database
from tests.servers.postgres import PostgresServer, wheel


def execute(url: str, *statements: str) -> None:
    with psycopg.connect(url, autocommit=True) as client:
        for statement in statements:
            client.execute(statement.encode())


def dump(file: Path) -> None:
    """The test's own database, as it is now."""
    settings = connection.settings_dict
    run("pg_dump", "-Fc", "-f", str(file), "-h", settings["HOST"], "-U", settings["USER"], settings["NAME"])


def restore(file: Path, server: PostgresServer, name: str) -> Database:
    """A new database of that name on `server`."""
    execute(server.url("postgres"), f'CREATE DATABASE "{name}"')
    database = Database(server.url(name))
    run("pg_restore", "--exit-on-error", "-d", database.url, str(file))
    return database


def burn_transactions(count: int) -> None:
    """Have this cluster's next transaction be numbered that much higher."""
    with connection.cursor() as cursor:
        cursor.execute(f"DO $$ BEGIN FOR i IN 1..{count} LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$")


def run(program: str, *arguments: str) -> None:
    subprocess.run([str(wheel() / "bin" / program), *arguments], check=True, capture_output=True, timeout=60)
