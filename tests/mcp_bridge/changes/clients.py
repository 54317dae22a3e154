"""Clients of the database that know nothing of Django."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

import psycopg
from django.db import connection


@contextmanager
def client() -> Iterator[psycopg.Connection | sqlite3.Connection]:
    """A connection past Django to the test's database, in a transaction that waits for `commit` or `rollback`."""
    settings = connection.settings_dict
    if connection.vendor == "sqlite":
        with closing(sqlite3.connect(settings["NAME"])) as other:
            yield other
    else:
        with closing(psycopg.connect(host=settings["HOST"], user=settings["USER"], dbname=settings["NAME"])) as other:
            yield other
