"""The generation of a set of rows: a number that differs whenever a committed change of them became visible.

PostgreSQL: how many changes this snapshot sees, folded ones included. Not the highest id: a transaction that commits
late does not move it. SQLite: the newest id, since one writer at a time makes ids the order of commits. Numbers are
compared for equality only, and only with others of the same topics and keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

from mcp_bridge.models.changes import EVERY_KEY, WHOLE_TOPIC

_POSTGRESQL = """
SELECT coalesce(sum(n), 0)::bigint, max(at) FROM (
  SELECT changes, changed_at FROM mcp_bridge_changetotal WHERE topic = ANY(%s::text[]) AND key = ANY(%s::text[])
  UNION ALL
  SELECT 1, changed_at FROM mcp_bridge_change WHERE topic = ANY(%s::text[])__KEYS__
) seen (n, at)
"""
_POSTGRESQL_TOPICS = _POSTGRESQL.replace("__KEYS__", "")
_POSTGRESQL_KEYS = _POSTGRESQL.replace("__KEYS__", " AND key = ANY(%s::text[])")

_SQLITE_TOPIC = """SELECT * FROM
  (SELECT id, changed_at FROM mcp_bridge_change WHERE topic = %s ORDER BY id DESC LIMIT 1)"""
_SQLITE_KEYS = "SELECT id, changed_at FROM mcp_bridge_change WHERE topic IN (__TOPICS__) AND key IN (__KEYS__)"


@dataclass(frozen=True)
class Generation:
    """`number` 0 and no time: nothing was ever noted, because nothing of these topics is tracked in this database."""

    number: int
    last_modified: datetime | None


def generation(topics: Sequence[str], keys: Sequence[str] | None = None, using: str = "default") -> Generation:
    """The generation of whole topics, or of some keys in them (a change of every row counts for each key).

    One statement, so that number and time are of one snapshot. Inside a transaction it counts what that transaction
    wrote.
    """
    connection = connections[using]
    if not topics:
        raise ValueError("a generation is of at least one topic")
    wanted = None if keys is None else sorted({*keys, EVERY_KEY})
    look = _sqlite if connection.vendor == "sqlite" else _postgresql
    return look(connection, sorted(set(topics)), wanted)


def _postgresql(connection: BaseDatabaseWrapper, topics: list[str], keys: list[str] | None) -> Generation:
    with connection.cursor() as cursor:
        if keys is None:
            cursor.execute(_POSTGRESQL_TOPICS, [topics, [WHOLE_TOPIC], topics])
        else:
            cursor.execute(_POSTGRESQL_KEYS, [topics, keys, topics, keys])
        number, at = cursor.fetchone()
    return Generation(number, None if at is None else at.astimezone(UTC))


def _sqlite(connection: BaseDatabaseWrapper, topics: list[str], keys: list[str] | None) -> Generation:
    with connection.cursor() as cursor:
        if keys is None:
            cursor.execute(" UNION ALL ".join([_SQLITE_TOPIC] * len(topics)), topics)
        else:
            slots = _SQLITE_KEYS.replace("__TOPICS__", _slots(topics)).replace("__KEYS__", _slots(keys))
            cursor.execute(slots, [*topics, *keys])
        number, at = max(cursor.fetchall(), default=(0, None))
    return Generation(number, None if at is None else _instant(at))


def _slots(values: Sequence[str]) -> str:
    return ", ".join(["%s"] * len(values))


def _instant(value: Any) -> datetime:
    """SQLite gives a column of type datetime as one, and an expression as text; both are UTC without a zone."""
    moment = value if isinstance(value, datetime) else datetime.fromisoformat(value)
    return moment.replace(tzinfo=UTC)
