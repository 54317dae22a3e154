"""What a database has of our triggers, and what it should have. One query each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.backends.base.base import BaseDatabaseWrapper

from lensproject.core.triggers.declarations import PREFIX, Trigger

_SQLITE = "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger' AND substr(name, 1, %s) = %s"

# From the functions outwards: a table that was dropped took its triggers along and left their functions.
_POSTGRESQL = """
SELECT p.proname, coalesce(c.relname, ''), t.tgtype || ' ' || p.prosrc, coalesce(t.tgenabled IN ('O', 'A'), false)
  FROM pg_proc p
  LEFT JOIN pg_trigger t ON t.tgfoid = p.oid AND t.tgname = p.proname
  LEFT JOIN pg_class c ON c.oid = t.tgrelid
 WHERE p.prorettype = 'trigger'::regtype AND p.pronamespace = current_schema()::regnamespace
   AND left(p.proname, %s) = %s
"""


@dataclass(frozen=True)
class Part:
    """One part as it is, or should be: `text` is compared letter for letter. `on` is false where it does not fire."""

    table: str
    text: str
    on: bool = True


def present(connection: BaseDatabaseWrapper) -> dict[str, Part]:
    """Our triggers in this database, by name."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(_SQLITE, [len(PREFIX), PREFIX])
            return {name: Part(table, sql) for name, table, sql in cursor.fetchall()}
        cursor.execute(_POSTGRESQL, [len(PREFIX), PREFIX])
        return {name: Part(table, text or "", on) for name, table, text, on in cursor.fetchall()}


def expected(trigger: Trigger, vendor: str) -> dict[str, Part]:
    """What `trigger` looks like in a database of this kind."""
    parts: dict[str, Part] = {}
    if vendor == "sqlite":
        for part in trigger.sqlite:
            name = trigger.part_name(part)
            parts[name] = Part(trigger.table, part.text(name, trigger.table))
    else:
        for function in trigger.postgresql:
            text = f"{function.bits()} {function.source(trigger.table)}"
            parts[trigger.part_name(function)] = Part(trigger.table, text)
    return parts


def trouble(wanted: Mapping[str, Part], there: Mapping[str, Part]) -> dict[str, str]:
    """What is wrong, by name: `is missing`, `is switched off`, `differs from its declaration`."""
    found: dict[str, str] = {}
    for name, part in wanted.items():
        actual = there.get(name)
        if actual is None or not actual.table:
            found[name] = "is missing"
        elif not actual.on:
            found[name] = "is switched off"
        elif actual != part:
            found[name] = "differs from its declaration"
    return found
