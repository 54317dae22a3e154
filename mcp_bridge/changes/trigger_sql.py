# ruff: noqa: S608 - triggers are built of names that were checked against the models, and have no parameters
"""The triggers that write the change log, for each database.

SQLite: one row for each topic and key, deleted and inserted anew, so that the AUTOINCREMENT id is the order of commits
(there is one writer). Never INSERT OR REPLACE here: a trigger inherits the conflict rule of the statement that fired
it, and under `bulk_create(ignore_conflicts=True)` the row would be skipped. No `UPDATE OF`: it does not see `SET rowid
= …`.

PostgreSQL: one statement for each statement, from its transition tables. Rows are compared as they are stored (`*<>`),
so a number whose scale alone changed counts, and a type without `=` can be tracked.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from lensproject.core.triggers import PostgresPart, SqlitePart, Trigger, literal
from lensproject.core.triggers.declarations import MAX_NAME, PREFIX
from mcp_bridge.models.changes import EVERY_KEY, Change

LOG = Change._meta.db_table
_LONGEST_SUFFIX = "_truncate"


@dataclass(frozen=True)
class Tracked:
    """A table that a topic rests on: its primary key's column, the column that gives the key, and the columns shown."""

    topic: str
    table: str
    pk: str
    key: str
    columns: tuple[str, ...]

    def compared(self) -> tuple[str, ...]:
        """All columns whose change is a change: those shown, the key, the primary key."""
        return tuple(sorted({*self.columns, self.key, self.pk}))


def change_trigger(tracked: Tracked) -> Trigger:
    """The trigger that notes changes of `tracked` under its topic."""
    return Trigger(_name(tracked), tracked.table, _sqlite(tracked), _postgresql(tracked), needs=(LOG,))


# changed_at is the clock at commit: a reader that looked before the commit saw an older time, however long the writer
# took.
COMMIT_CLOCK = Trigger(
    "change_commit_clock",
    LOG,
    sqlite=(),
    postgresql=(
        PostgresPart(
            "insert",
            "AFTER INSERT",
            f'UPDATE "{LOG}" SET changed_at = clock_timestamp() WHERE id = NEW.id;\nRETURN NULL;',
            at_commit=True,
        ),
    ),
)


def sqlite_note(topic: str, *keys: str) -> tuple[str, str]:
    """The two statements that note one or two keys, given as SQL expressions."""
    union = " UNION ".join(f"SELECT {key} AS k" for key in keys)
    return (
        f'DELETE FROM "{LOG}" WHERE topic = {topic} AND key IN ({", ".join(keys)})',
        f'INSERT INTO "{LOG}" (topic, key, changed_at) '
        f"SELECT {topic}, k, strftime('%Y-%m-%d %H:%M:%f', 'now') FROM ({union})",
    )


def _sqlite(tracked: Tracked) -> tuple[SqlitePart, ...]:
    topic = literal(tracked.topic)
    old, new = (f"ifnull(nullif(CAST({row}.\"{tracked.key}\" AS TEXT), ''), '{EVERY_KEY}')" for row in ("OLD", "NEW"))
    differs = " OR ".join(f'OLD."{name}" COLLATE BINARY IS NOT NEW."{name}"' for name in tracked.compared())
    return (
        SqlitePart("insert", "AFTER INSERT", _body(sqlite_note(topic, new))),
        SqlitePart("delete", "AFTER DELETE", _body(sqlite_note(topic, old))),
        SqlitePart("update", "AFTER UPDATE", _body(sqlite_note(topic, old, new)), when=f"({differs})"),
    )


def _body(statements: tuple[str, ...]) -> str:
    return " ".join(f"{statement};" for statement in statements)


def _postgresql(tracked: Tracked) -> tuple[PostgresPart, ...]:
    topic = literal(tracked.topic)
    head = f'INSERT INTO "{LOG}" (topic, key, changed_at)\nSELECT DISTINCT {topic}, '
    tail = ";\nRETURN NULL;"

    def key(row: str) -> str:
        return f"coalesce(nullif({row}.\"{tracked.key}\"::text, ''), '{EVERY_KEY}')"

    def columns(row: str) -> str:
        return ", ".join(f'{row}."{name}"' for name in tracked.compared())

    def side(row: str) -> str:
        return f'CASE WHEN {row}."{tracked.pk}" IS NOT NULL THEN {key(row)} END'

    changed = (
        f"{head}k, statement_timestamp()\n"
        f'FROM old_rows o FULL JOIN new_rows n ON o."{tracked.pk}" = n."{tracked.pk}",\n'
        f"LATERAL (VALUES ({side('o')}), ({side('n')})) keys (k)\n"
        f"WHERE k IS NOT NULL AND ROW({columns('o')})::record *<> ROW({columns('n')})::record{tail}"
    )
    return (
        _statement("insert", f"{head}{key('r')}, statement_timestamp() FROM new_rows r{tail}", "NEW TABLE AS new_rows"),
        _statement("delete", f"{head}{key('r')}, statement_timestamp() FROM old_rows r{tail}", "OLD TABLE AS old_rows"),
        _statement("update", changed, "OLD TABLE AS old_rows NEW TABLE AS new_rows"),
        _statement("truncate", f"{head}'{EVERY_KEY}', statement_timestamp(){tail}", ""),
    )


def _statement(event: str, body: str, referencing: str) -> PostgresPart:
    return PostgresPart(event, f"AFTER {event.upper()}", body, scope="STATEMENT", referencing=referencing)


def _name(tracked: Tracked) -> str:
    name = f"change_{tracked.table}_{tracked.topic.replace('.', '_')}"
    room = MAX_NAME - len(PREFIX) - len(_LONGEST_SUFFIX)
    if len(name) <= room:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{name[: room - 9]}_{digest}"
