"""What may be declared, and how it is said to each database."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lensproject.core import triggers
from lensproject.core.triggers import PostgresPart, SqlitePart, Trigger
from lensproject.core.triggers.declarations import MAX_NAME


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    with triggers.scratch():
        yield


def trigger(name: str = "noted", table: str = "scratch_child") -> Trigger:
    return Trigger(
        name,
        table,
        (SqlitePart("insert", "AFTER INSERT", "SELECT 1;"),),
        (PostgresPart("insert", "AFTER INSERT", "RETURN NULL;"),),
    )


def test_a_declared_trigger_is_listed_once() -> None:
    before = triggers.declared()
    triggers.declare(trigger())
    triggers.declare(trigger())
    assert [each for each in triggers.declared() if each not in before] == [trigger()]


def test_another_trigger_of_the_same_name_is_refused_and_the_first_one_stays() -> None:
    triggers.declare(trigger())
    with pytest.raises(ValueError, match=r"'noted' is declared already, differently, on table 'scratch_child'"):
        triggers.declare(trigger(table="scratch_parent"))
    assert trigger() in triggers.declared()
    assert trigger(table="scratch_parent") not in triggers.declared()


def test_a_name_that_postgresql_would_cut_is_refused() -> None:
    longest = MAX_NAME - len("lens_") - len("_insert")
    triggers.declare(trigger("x" * longest))
    with pytest.raises(ValueError, match="has 64 characters, PostgreSQL keeps 63"):
        triggers.declare(trigger("x" * (longest + 1)))


def test_declared_triggers_come_in_the_order_in_which_tables_are_locked() -> None:
    for name, table in (("c", "scratch_b"), ("b", "scratch_b"), ("z", "scratch_a")):
        triggers.declare(trigger(name, table))
    names = [each.name for each in triggers.declared() if each.table.startswith("scratch_")]
    assert names == ["z", "b", "c"]


def test_what_is_declared_in_a_scratch_is_forgotten_after_it() -> None:
    with triggers.scratch():
        triggers.declare(trigger())
    assert trigger() not in triggers.declared()


def test_the_statement_of_sqlite() -> None:
    part = SqlitePart("update", "AFTER UPDATE", "SELECT 1;", when="(OLD.a IS NOT NEW.a)")
    assert part.text("lens_x_update", "scratch") == (
        'CREATE TRIGGER "lens_x_update" AFTER UPDATE ON "scratch" FOR EACH ROW WHEN (OLD.a IS NOT NEW.a) '
        "BEGIN SELECT 1; END"
    )


def test_the_statements_of_postgresql() -> None:
    part = PostgresPart("update", "AFTER UPDATE", "RETURN NULL;", scope="STATEMENT", referencing="NEW TABLE AS n")
    assert part.trigger_sql("lens_x_update", "scratch") == (
        'CREATE TRIGGER "lens_x_update" AFTER UPDATE ON "scratch" REFERENCING NEW TABLE AS n FOR EACH STATEMENT '
        'EXECUTE FUNCTION "lens_x_update"()'
    )
    assert part.function_sql("lens_x_update", "scratch") == (
        'CREATE OR REPLACE FUNCTION "lens_x_update"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT '
        'AS $lens$\n-- AFTER UPDATE ON "scratch" REFERENCING NEW TABLE AS n FOR EACH STATEMENT\n'
        "BEGIN\nRETURN NULL;\nEND\n$lens$"
    )


def test_a_trigger_at_commit_is_a_deferred_constraint_trigger() -> None:
    part = PostgresPart("insert", "AFTER INSERT", "RETURN NULL;", at_commit=True)
    assert part.trigger_sql("lens_x", "scratch") == (
        'CREATE CONSTRAINT TRIGGER "lens_x" AFTER INSERT ON "scratch" DEFERRABLE INITIALLY DEFERRED FOR EACH ROW '
        'EXECUTE FUNCTION "lens_x"()'
    )


@pytest.mark.parametrize(
    ("event", "scope", "bits"),
    [
        ("AFTER INSERT", "STATEMENT", 4),
        ("AFTER INSERT", "ROW", 5),
        ("BEFORE UPDATE OR DELETE", "ROW", 27),
        ("BEFORE TRUNCATE", "STATEMENT", 34),
    ],
)
def test_what_postgresql_keeps_of_an_event(event: str, scope: str, bits: int) -> None:
    assert PostgresPart("x", event, "RETURN NULL;", scope=scope).bits() == bits
