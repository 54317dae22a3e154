"""What changed since this process last looked: by the rows of the change log alone, so nothing depends on a message.

PostgreSQL: rows whose transaction the last snapshot did not see. This finds a transaction that committed after a later
one, at once, and waits for no open one. A cursor on the id loses those (measured: 965 of 2,541 commits). SQLite: ids
above the last, which are the order of commits.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

from mcp_bridge.changes.tracking import topics
from mcp_bridge.models.changes import EVERY_KEY

# Shorter than the time that rows are kept unfolded (fold.KEEP): between the clock that a commit writes down and the
# moment when others see it lies the flush to disk, and between two looks of a busy process more than its interval.
LONGEST_SILENCE = 25.0

_POSITION = "SELECT pg_current_snapshot()::text, NULL, NULL"
_SINCE = """
SELECT pg_current_snapshot()::text, NULL, NULL UNION ALL
SELECT DISTINCT NULL, topic, key FROM mcp_bridge_change
 WHERE xid >= pg_snapshot_xmin(%s::pg_snapshot) AND NOT pg_visible_in_snapshot(xid, %s::pg_snapshot)
"""
_SQLITE_POSITION = "SELECT coalesce(max(id), 0) FROM mcp_bridge_change"
_SQLITE_SINCE = "SELECT id, topic, key FROM mcp_bridge_change WHERE id > %s"

Changed = set[tuple[str, str]]


class Sweep:
    """The position of one sweeper, in memory. Not for two threads at once."""

    def __init__(self, using: str = "default", *, clock: Callable[[], float] = time.monotonic) -> None:
        self._using = using
        self._clock = clock
        self._position: str | int | None = None
        self._looked = 0.0

    def changed(self) -> Changed:
        """The (topic, key) pairs of commits since the last call; key `*` is every row of the topic.

        The first call, and one after a silence in which rows may have been folded, gives every tracked topic with `*`.
        """
        began = self._clock()
        connection = connections[self._using]
        look = _sqlite if connection.vendor == "sqlite" else _postgresql
        position, found = look(connection, self._position)
        missed = self._position is None or self._clock() - self._looked >= LONGEST_SILENCE
        self._position, self._looked = position, began
        return {(topic, EVERY_KEY) for topic in topics()} | found if missed else found


def _postgresql(connection: BaseDatabaseWrapper, last: str | int | None) -> tuple[str, Changed]:
    """One statement, so that the new position and the rows are of one snapshot."""
    with connection.cursor() as cursor:
        if last is None:
            cursor.execute(_POSITION)
        else:
            cursor.execute(_SINCE, [last, last])
        rows = cursor.fetchall()
    position = next(snapshot for snapshot, _, _ in rows if snapshot is not None)
    return position, {(topic, key) for snapshot, topic, key in rows if snapshot is None}


def _sqlite(connection: BaseDatabaseWrapper, last: str | int | None) -> tuple[int, Changed]:
    with connection.cursor() as cursor:
        if last is None:
            cursor.execute(_SQLITE_POSITION)
            return cursor.fetchone()[0], set()
        cursor.execute(_SQLITE_SINCE, [last])
        rows = cursor.fetchall()
    return max((row[0] for row in rows), default=int(last)), {(topic, key) for _, topic, key in rows}
