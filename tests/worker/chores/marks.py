"""What chores did, when and in which process: rows of a table of the test's own database."""

from __future__ import annotations

import os
from dataclasses import dataclass
from time import monotonic, sleep

from django.db import connection


@dataclass(frozen=True)
class Mark:
    """`at` is the machine's monotonic clock, which all processes share."""

    what: str
    pid: int
    at: float


def make_table() -> None:
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE chores_mark (what varchar(100), pid integer, at double precision)")


def mark(what: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO chores_mark VALUES (%s, %s, %s)", [what, os.getpid(), monotonic()])


def mark_once(what: str) -> None:
    """Leave a mark unless it is there: a step that may be repeated."""
    if not marks(what):
        mark(what)


def marks(what: str = "") -> list[Mark]:
    """All marks, or those of one kind, in the order of time."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT what, pid, at FROM chores_mark WHERE what = %s OR %s = '' ORDER BY at", [what, what])
        return [Mark(*row) for row in cursor.fetchall()]


def wait_for(what: str) -> None:
    while not marks(what):
        sleep(0.02)
