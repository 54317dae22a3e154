"""What may be left out does not wait for a writer, and everything else goes on waiting as before."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from django.db import OperationalError, connection, transaction

from lensproject.core.impatience import impatient
from lensproject.databases import DatabaseUrl
from payments.authentication.verify import verify_key
from payments.models import ApiKey
from tests.builders import make_key
from tests.databases import Database


@contextmanager
def locked_by_another(database: Database) -> Iterator[None]:
    """Somebody else writes: SQLite's one writer, or whoever holds the keys' rows."""
    url = DatabaseUrl.parse(database.url)
    if url.engine == "sqlite":
        writer = sqlite3.connect(url.name, isolation_level=None)
        writer.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            writer.close()
        return
    with psycopg.connect(host=url.host, port=url.port, user=url.user, dbname=url.name) as other:
        other.execute("SELECT id FROM payments_apikey FOR UPDATE")
        yield
        other.rollback()


def patience() -> str:
    connection.ensure_connection()
    asked = "PRAGMA busy_timeout" if connection.vendor == "sqlite" else "SHOW lock_timeout"
    return str(connection.connection.execute(asked).fetchone()[0])


def test_a_key_is_good_at_once_while_its_use_cannot_be_written(cloned_database: Database) -> None:
    _, token = make_key()
    with locked_by_another(cloned_database):
        began = time.monotonic()
        caller = verify_key(token, None)
        took = time.monotonic() - began
    assert caller is not None
    assert took < 3
    assert ApiKey.objects.get().last_used_at is None

    assert verify_key(token, None) is not None
    assert ApiKey.objects.get().last_used_at is not None


def test_only_the_block_is_impatient(cloned_database: Database) -> None:
    make_key()
    before = patience()
    with locked_by_another(cloned_database), impatient(0.05):
        assert patience() in ("50", "50ms")
        with pytest.raises(OperationalError):
            ApiKey.objects.update(name="x")
    assert patience() == before
    assert before in ("20000", "10s")


def test_a_transaction_keeps_its_patience(cloned_database: Database) -> None:
    with transaction.atomic():
        before = patience()
        with impatient(0.05):
            assert patience() == before
