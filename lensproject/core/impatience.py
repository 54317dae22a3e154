"""Writing what may as well be left out, without waiting for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connections

_SQLITE = ("PRAGMA busy_timeout", "PRAGMA busy_timeout = {}")
_POSTGRESQL = ("SHOW lock_timeout", "SET lock_timeout = '{}'")


@contextmanager
def impatient(seconds: float, *, using: str = "default") -> Iterator[None]:
    """Within the block a statement that meets somebody else's lock gives up after `seconds` (OperationalError).

    On SQLite that lock is the one that every writer takes. Inside a transaction the block changes nothing: what may be
    left out has none around it.
    """
    connection = connections[using]
    if connection.in_atomic_block:
        yield
        return
    connection.ensure_connection()
    # Not by Django's cursor: these are no questions to the database, and no test counts them.
    driver: Any = connection.connection
    asked, said = _SQLITE if connection.vendor == "sqlite" else _POSTGRESQL
    (before,) = driver.execute(asked).fetchone()
    driver.execute(said.format(round(seconds * 1000)))
    try:
        yield
    finally:
        driver.execute(said.format(before))
