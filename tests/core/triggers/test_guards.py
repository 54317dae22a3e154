"""Guards refuse in the database: by whatever way a row is written, and nothing of the statement stays."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, connection, transaction

from lensproject.core import triggers
from tests.core.triggers.conftest import rows, run
from tests.databases import chosen_engine

pytestmark = pytest.mark.usefixtures("tables")

CHILDREN = "SELECT id, parent_id, organisation, note FROM scratch_child ORDER BY id"


def guard_organisation() -> None:
    triggers.guard(
        "child_of_its_organisation",
        "scratch_child",
        refuse_when=(
            "NEW.parent_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM scratch_parent p "
            "WHERE p.id = NEW.parent_id AND p.organisation = NEW.organisation)"
        ),
        message="a child's parent is of the child's organisation",
        needs=("scratch_parent",),
    )
    triggers.install()


def test_a_row_that_a_guard_allows_is_written() -> None:
    guard_organisation()
    run("INSERT INTO scratch_child VALUES (1, 1, 10, 'a'), (2, NULL, 99, 'b')")
    run("UPDATE scratch_child SET parent_id = 2, organisation = 20 WHERE id = 1")
    assert rows(CHILDREN) == [(1, 2, 20, "a"), (2, None, 99, "b")]


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO scratch_child VALUES (8, 1, 20, 'b')",
        "INSERT INTO scratch_child VALUES (7, 1, 10, 'c'), (8, 1, 20, 'b')",
        "UPDATE scratch_child SET parent_id = 2",
        "INSERT INTO scratch_child VALUES (1, 1, 10, 'a') ON CONFLICT (id) DO UPDATE SET organisation = 20",
    ],
    ids=["insert", "one row of two", "update", "upsert"],
)
def test_a_row_that_a_guard_refuses_is_an_integrity_error_and_leaves_nothing(statement: str) -> None:
    guard_organisation()
    run("INSERT INTO scratch_child VALUES (1, 1, 10, 'a')")
    refusal = "child_of_its_organisation: a child's parent is of the child's organisation"
    with pytest.raises(IntegrityError, match=refusal):
        run(statement)
    assert rows(CHILDREN) == [(1, 1, 10, "a")]


def test_an_ignored_conflict_does_not_ignore_a_guard() -> None:
    guard_organisation()
    ignoring = "INSERT OR IGNORE INTO" if connection.vendor == "sqlite" else "INSERT INTO"
    conflict = "" if connection.vendor == "sqlite" else " ON CONFLICT DO NOTHING"
    with pytest.raises(IntegrityError, match="child_of_its_organisation"):
        run(f"{ignoring} scratch_child VALUES (1, 1, 20, 'a'){conflict}")
    assert rows(CHILDREN) == []


def test_a_condition_that_is_null_refuses_nothing() -> None:
    triggers.guard("child_positive", "scratch_child", refuse_when="NEW.organisation < 0", message="not negative")
    triggers.install()
    run("INSERT INTO scratch_child VALUES (1, NULL, NULL, 'a')")
    with pytest.raises(IntegrityError, match="child_positive: not negative"):
        run("UPDATE scratch_child SET organisation = -1")
    assert rows(CHILDREN) == [(1, None, None, "a")]


def test_a_guard_of_deletes_speaks_of_the_old_row() -> None:
    triggers.guard(
        "child_kept", "scratch_child", events=("DELETE",), refuse_when="OLD.note = 'kept'", message="'kept' stays"
    )
    triggers.install()
    run("INSERT INTO scratch_child VALUES (1, NULL, 1, 'kept'), (2, NULL, 1, 'other')")
    run("DELETE FROM scratch_child WHERE id = 2")
    with pytest.raises(IntegrityError, match="child_kept: 'kept' stays"):
        run("DELETE FROM scratch_child")
    assert rows(CHILDREN) == [(1, None, 1, "kept")]


def test_a_guard_of_other_events_lets_the_rest_pass() -> None:
    triggers.guard("no_insert", "scratch_child", events=("INSERT",), refuse_when="NEW.id > 5", message="too many")
    triggers.install()
    run("INSERT INTO scratch_child VALUES (1, NULL, 1, 'a')", "UPDATE scratch_child SET id = 6")
    assert rows(CHILDREN) == [(6, None, 1, "a")]


@pytest.mark.parametrize("events", [(), ("TRUNCATE",), ("INSERT", "insert")])
def test_a_guard_of_no_or_unknown_events_is_refused_when_declared(events: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="guard 'x': events are some of INSERT, UPDATE, DELETE"):
        triggers.guard("x", "scratch_child", events=events, refuse_when="true", message="never")
    assert "x" not in [trigger.name for trigger in triggers.declared()]


def test_the_error_carries_the_name_of_the_guard_as_a_constraint_does() -> None:
    guard_organisation()
    with pytest.raises(IntegrityError) as refused:
        run("INSERT INTO scratch_child VALUES (8, 1, 20, 'b')")
    if connection.vendor == "postgresql":
        diagnosis = refused.value.__cause__.diag  # type: ignore[union-attr]
        assert (diagnosis.constraint_name, diagnosis.table_name) == ("child_of_its_organisation", "scratch_child")
    else:
        assert str(refused.value).startswith("child_of_its_organisation: ")


def test_a_refusal_in_a_savepoint_leaves_the_rest_of_the_transaction() -> None:
    guard_organisation()
    with transaction.atomic():
        run("INSERT INTO scratch_child VALUES (1, 1, 10, 'a')")
        with pytest.raises(IntegrityError), transaction.atomic():
            run("INSERT INTO scratch_child VALUES (2, 1, 20, 'b')")
    assert rows(CHILDREN) == [(1, 1, 10, "a")]


def test_immutable_columns_refuse_a_change_and_allow_the_same_value() -> None:
    columns = ("parent_id", "organisation")
    triggers.immutable("child_place_fixed", "scratch_child", columns, message="a child stays where it is")
    triggers.install()
    run("INSERT INTO scratch_child VALUES (1, NULL, 10, 'a')")
    run("UPDATE scratch_child SET organisation = 10, parent_id = NULL, note = 'b'")
    changes = ("organisation = 11", "organisation = NULL", "parent_id = 1")
    for change in changes:
        with pytest.raises(IntegrityError, match="child_place_fixed: a child stays where it is"):
            run(" ".join(("UPDATE scratch_child SET", change)))
    assert rows(CHILDREN) == [(1, None, 10, "b")]


def test_immutable_without_columns_is_refused_when_declared() -> None:
    with pytest.raises(ValueError, match="guard 'x': names no column"):
        triggers.immutable("x", "scratch_child", (), message="never")


ATTACKS = [
    "UPDATE scratch_child SET note = 'z' WHERE id = 2",
    "DELETE FROM scratch_child",
    "DELETE FROM scratch_child WHERE id = 1",
]
ATTACKS += {
    "sqlite": [
        "INSERT OR REPLACE INTO scratch_child VALUES (1, NULL, 1, 'z')",
        "INSERT OR REPLACE INTO scratch_child VALUES (9, NULL, 1, 'a')",
        "UPDATE OR IGNORE scratch_child SET note = 'b' WHERE id = 1",
        "INSERT INTO scratch_child VALUES (1, NULL, 1, 'z') ON CONFLICT (id) DO UPDATE SET note = 'z'",
    ],
    "postgresql": [
        "TRUNCATE scratch_child",
        "INSERT INTO scratch_child VALUES (1, NULL, 1, 'z') ON CONFLICT (id) DO UPDATE SET note = 'z'",
        "MERGE INTO scratch_child c USING scratch_parent p ON c.id = p.id WHEN MATCHED THEN DELETE",
    ],
}[chosen_engine()]


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_append_only_table_refuses_every_way_of_changing_it(attack: str) -> None:
    triggers.append_only("scratch_child")
    triggers.install()
    run("INSERT INTO scratch_child VALUES (1, NULL, 1, 'a')", "INSERT INTO scratch_child VALUES (2, NULL, 1, 'b')")
    with pytest.raises(IntegrityError, match="append_only_scratch_child: scratch_child is append-only"):
        run(attack)
    assert rows(CHILDREN) == [(1, None, 1, "a"), (2, None, 1, "b")]
