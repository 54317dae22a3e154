"""Rules that a CHECK constraint cannot state, refused by the database itself on both databases.

A refusal is Django's IntegrityError. Its message begins with the guard's name, as a CHECK constraint's would.
"""

from __future__ import annotations

from collections.abc import Sequence

from lensproject.core.triggers.declarations import PostgresPart, SqlitePart, Trigger, declare

EVENTS = ("INSERT", "UPDATE", "DELETE")

_GO_ON = "IF TG_OP = 'DELETE' THEN RETURN OLD; END IF; RETURN NEW;"


def guard(
    name: str,
    table: str,
    *,
    refuse_when: str,
    message: str,
    events: Sequence[str] = ("INSERT", "UPDATE"),
    needs: Sequence[str] = (),
) -> Trigger:
    """Declare that a row of `table` is refused when the SQL condition `refuse_when` is true for it.

    The condition is one expression for both databases: it speaks of NEW and OLD (NEW alone on INSERT, OLD alone on
    DELETE) and may hold sub-selects, whose tables are named in `needs`. It is asked before the row is written, so NEW
    has no generated primary key yet and a sub-select on the same table sees it as it was. NULL, as in a CHECK
    constraint, refuses nothing. It does not lock what it reads: make the column that it looks up `immutable`, or guard
    the other table too.
    """
    unknown = [event for event in events if event not in EVENTS]
    if unknown or not events:
        raise ValueError(f"guard {name!r}: events are some of {', '.join(EVENTS)}, not {', '.join(unknown) or 'none'}")
    refusal = f"{name}: {message}"
    sqlite = tuple(
        SqlitePart(event.lower(), f"BEFORE {event}", _sqlite_refusal(refusal), when=f"({refuse_when})")
        for event in events
    )
    body = f"IF ({refuse_when}) THEN\n{_postgres_refusal(name, table, refusal)}\nEND IF;\n{_GO_ON}"
    postgresql = (PostgresPart("row", f"BEFORE {' OR '.join(events)}", body),)
    return declare(Trigger(name, table, sqlite, postgresql, tuple(needs)))


def immutable(name: str, table: str, columns: Sequence[str], *, message: str) -> Trigger:
    """Declare that these columns of a row never change once it is there."""
    if not columns:
        raise ValueError(f"guard {name!r}: names no column")
    refusal = f"{name}: {message}"
    differs = " OR ".join(f'OLD."{column}" IS NOT NEW."{column}"' for column in columns)
    distinct = " OR ".join(f'OLD."{column}" IS DISTINCT FROM NEW."{column}"' for column in columns)
    body = f"IF {distinct} THEN\n{_postgres_refusal(name, table, refusal)}\nEND IF;\nRETURN NEW;"
    return declare(
        Trigger(
            name,
            table,
            (SqlitePart("update", "BEFORE UPDATE", _sqlite_refusal(refusal), when=f"({differs})"),),
            (PostgresPart("row", "BEFORE UPDATE", body),),
        )
    )


def append_only(table: str) -> Trigger:
    """Declare that rows of `table` are neither changed nor deleted, nor the table truncated (PostgreSQL)."""
    name = f"append_only_{table}"
    refusal = f"{name}: {table} is append-only"
    body = _postgres_refusal(name, table, refusal)
    return declare(
        Trigger(
            name,
            table,
            tuple(
                SqlitePart(word.lower(), f"BEFORE {word}", _sqlite_refusal(refusal)) for word in ("UPDATE", "DELETE")
            ),
            (
                PostgresPart("row", "BEFORE UPDATE OR DELETE", body),
                PostgresPart("truncate", "BEFORE TRUNCATE", body, scope="STATEMENT"),
            ),
        )
    )


def _sqlite_refusal(message: str) -> str:
    return f"SELECT RAISE(ABORT, {literal(message)});"


def _postgres_refusal(name: str, table: str, message: str) -> str:
    return (
        f"RAISE EXCEPTION USING ERRCODE = 'integrity_constraint_violation', MESSAGE = {literal(message)}, "
        f"CONSTRAINT = {literal(name)}, TABLE = {literal(table)};"
    )


def literal(text: str) -> str:
    """`text` as an SQL string, for both databases."""
    return "'" + text.replace("'", "''") + "'"
