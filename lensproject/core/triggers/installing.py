"""Triggers put into a database, taken off, and looked for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from django.dispatch import Signal

from lensproject.core.triggers.declarations import Trigger, declared
from lensproject.core.triggers.present import Part, expected, present, trouble

# Sent inside the transaction that put triggers in, with `using`, `triggers` (those that were put in) and `migrated`
# (whether migrations ran before): while a trigger was away its table may have changed unseen.
installed = Signal()

_ADVISORY_LOCK = 0x6C656E73  # "lens": two migrates at once must not make the same function.


@dataclass(frozen=True)
class Trouble:
    """A part of a declared trigger that does not do its work; `what` completes a sentence."""

    name: str
    table: str
    what: str


def install(using: str = "default", *, migrated: bool = False) -> tuple[str, ...]:
    """Put in what is missing or differs, take out ours that nobody declares. Gives the names of the triggers put in.

    One query when nothing is to do, one transaction when something is. `migrated` says that migrations ran just before.
    """
    connection = connections[using]
    if not migrated and not _to_do(connection, declared()):
        return ()
    with transaction.atomic(using=using):
        with connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_ADVISORY_LOCK])
            put_in = _mend(connection, cursor)
        if put_in or migrated:
            installed.send(sender=Trigger, using=using, triggers=put_in, migrated=migrated)
    return tuple(trigger.name for trigger in put_in)


def remove(using: str = "default") -> tuple[str, ...]:
    """Take all of ours off, as before a migration on SQLite, which rebuilds tables. Gives the names of the parts."""
    connection = connections[using]
    with transaction.atomic(using=using), connection.cursor() as cursor:
        there = present(connection)
        for name, part in there.items():
            _drop(cursor, connection.vendor, name, part)
    return tuple(sorted(there))


def verify(using: str = "default") -> tuple[Trouble, ...]:
    """What declared triggers lack, on tables that are there. Empty when all is well, after one query."""
    connection = connections[using]
    there = present(connection)
    triggers = declared()
    if not _lacking(connection, triggers, there):
        return ()
    triggers = _possible(connection, triggers)
    return tuple(
        Trouble(name, trigger.table, what)
        for trigger in triggers
        for name, what in trouble(expected(trigger, connection.vendor), there).items()
    )


def _to_do(connection: BaseDatabaseWrapper, triggers: Iterable[Trigger]) -> bool:
    there = present(connection)
    wanted = {name for trigger in triggers for name in expected(trigger, connection.vendor)}
    return bool(_lacking(connection, triggers, there) or there.keys() - wanted)


def _lacking(connection: BaseDatabaseWrapper, triggers: Iterable[Trigger], there: dict[str, Part]) -> list[Trigger]:
    return [trigger for trigger in triggers if trouble(expected(trigger, connection.vendor), there)]


def _possible(connection: BaseDatabaseWrapper, triggers: Iterable[Trigger]) -> tuple[Trigger, ...]:
    """Those whose tables are there: a migration may have stopped halfway, or gone back."""
    tables = set(connection.introspection.table_names())
    return tuple(trigger for trigger in triggers if tables.issuperset((trigger.table, *trigger.needs)))


def _mend(connection: BaseDatabaseWrapper, cursor: CursorWrapper) -> list[Trigger]:
    vendor = connection.vendor
    there = present(connection)
    triggers = _possible(connection, declared())
    lacking = _lacking(connection, triggers, there)
    kept = {name for trigger in triggers if trigger not in lacking for name in expected(trigger, vendor)}
    for name in sorted(there.keys() - kept):
        _drop(cursor, vendor, name, there[name])
    for trigger in lacking:
        for statement in _creation(trigger, vendor):
            cursor.execute(statement)
    return lacking


def _creation(trigger: Trigger, vendor: str) -> list[str]:
    if vendor == "sqlite":
        return [part.text(trigger.part_name(part), trigger.table) for part in trigger.sqlite]
    statements: list[str] = []
    for function in trigger.postgresql:
        name = trigger.part_name(function)
        statements += [function.function_sql(name, trigger.table), function.trigger_sql(name, trigger.table)]
    return statements


def _drop(cursor: CursorWrapper, vendor: str, name: str, part: Part) -> None:
    if vendor == "sqlite":
        cursor.execute(f'DROP TRIGGER IF EXISTS "{name}"')
        return
    if part.table:
        cursor.execute(f'DROP TRIGGER IF EXISTS "{name}" ON "{part.table}"')
    cursor.execute(f'DROP FUNCTION IF EXISTS "{name}"()')
