"""What a database trigger is, as code declares it.

A `Trigger` is one rule on one table. Each database states it in parts, because SQLite knows one event for each trigger
and PostgreSQL keeps the body in a function. The name of every part begins with `lens_`, so that ours are known in a
database.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

PREFIX = "lens_"
MAX_NAME = 63  # PostgreSQL cuts longer names without a word.

_PG_BITS = {"BEFORE": 2, "INSERT": 4, "DELETE": 8, "UPDATE": 16, "TRUNCATE": 32}
_PG_ROW_BIT = 1


@dataclass(frozen=True)
class SqlitePart:
    """A trigger of SQLite, for each row: `event` such as `AFTER INSERT`, `when` an SQL condition, `body` statements."""

    suffix: str
    event: str
    body: str
    when: str = ""

    def text(self, name: str, table: str) -> str:
        """The statement that makes it; SQLite keeps it letter for letter."""
        when = f" WHEN {self.when}" if self.when else ""
        return f'CREATE TRIGGER "{name}" {self.event} ON "{table}" FOR EACH ROW{when} BEGIN {self.body} END'


@dataclass(frozen=True)
class PostgresPart:
    """A trigger of PostgreSQL and its function: `body` is PL/pgSQL between BEGIN and END, with its RETURN.

    `scope` is ROW or STATEMENT, `referencing` names transition tables, `at_commit` makes it a deferred constraint
    trigger.
    """

    suffix: str
    event: str
    body: str
    scope: str = "ROW"
    referencing: str = ""
    at_commit: bool = False

    def source(self, table: str) -> str:
        """The function's body. Its first line is the trigger's own declaration, so that a change of it shows here."""
        return f"\n-- {self._head(table)}\nBEGIN\n{self.body}\nEND\n"

    def bits(self) -> int:
        """`pg_trigger.tgtype`: what it fires on, as PostgreSQL keeps it."""
        words = self.event.replace(",", " ").split()
        return sum(_PG_BITS.get(word, 0) for word in words) + (_PG_ROW_BIT if self.scope == "ROW" else 0)

    def function_sql(self, name: str, table: str) -> str:
        """The search path is fixed, because replication and restores run triggers with an empty one."""
        return (
            f'CREATE OR REPLACE FUNCTION "{name}"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT '
            f"AS $lens${self.source(table)}$lens$"
        )

    def trigger_sql(self, name: str, table: str) -> str:
        kind = "CONSTRAINT TRIGGER" if self.at_commit else "TRIGGER"
        return f'CREATE {kind} "{name}" {self._head(table)} EXECUTE FUNCTION "{name}"()'

    def _head(self, table: str) -> str:
        middle = "DEFERRABLE INITIALLY DEFERRED " if self.at_commit else ""
        middle += f"REFERENCING {self.referencing} " if self.referencing else ""
        return f'{self.event} ON "{table}" {middle}FOR EACH {self.scope}'


@dataclass(frozen=True)
class Trigger:
    """One rule on `table`. `needs` are other tables that its bodies use: without them it is not installed."""

    name: str
    table: str
    sqlite: tuple[SqlitePart, ...]
    postgresql: tuple[PostgresPart, ...]
    needs: tuple[str, ...] = ()

    def part_name(self, part: SqlitePart | PostgresPart) -> str:
        return f"{PREFIX}{self.name}_{part.suffix}"


_declared: dict[str, Trigger] = {}


def declare(trigger: Trigger) -> Trigger:
    """Have `trigger` installed with the next migrate. Saying the same twice is harmless.

    Raises ValueError when its name is taken by another trigger, or would be cut by PostgreSQL.
    """
    parts: tuple[SqlitePart | PostgresPart, ...] = (*trigger.sqlite, *trigger.postgresql)
    for name in map(trigger.part_name, parts):
        if len(name) > MAX_NAME:
            raise ValueError(f"trigger name {name!r} has {len(name)} characters, PostgreSQL keeps {MAX_NAME}")
    known = _declared.setdefault(trigger.name, trigger)
    if known != trigger:
        raise ValueError(f"trigger {trigger.name!r} is declared already, differently, on table {known.table!r}")
    return trigger


def declared() -> tuple[Trigger, ...]:
    """All declared triggers, by table and name: the order in which tables are locked."""
    return tuple(sorted(_declared.values(), key=lambda trigger: (trigger.table, trigger.name)))


@contextmanager
def scratch() -> Iterator[None]:
    """Within the block declarations are made as usual; after it they are as they were before. For tests."""
    before = dict(_declared)
    try:
        yield
    finally:
        _declared.clear()
        _declared.update(before)
