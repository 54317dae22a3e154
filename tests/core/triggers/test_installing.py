"""Triggers are put in, looked for and taken off, and what is not as declared is found and mended."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection
from pytest_django import DjangoAssertNumQueries

from lensproject.core import triggers
from lensproject.core.triggers import PostgresPart, SqlitePart, Trigger, Trouble
from tests.core.triggers.conftest import our_functions, our_triggers, rows, run
from tests.databases import chosen_engine

pytestmark = pytest.mark.usefixtures("tables")

PARTS = {
    "sqlite": ["lens_shout_insert", "lens_shout_update"],
    "postgresql": ["lens_shout_row"],
}[chosen_engine()]

DIFFERS = "differs from its declaration"


def shout(name: str = "shout", word: str = "loud") -> Trigger:
    """Refuses notes of this word."""
    return triggers.guard(name, "scratch_child", refuse_when=f"NEW.note = '{word}'", message="too loud")


@contextmanager
def heard() -> Iterator[list[dict[str, Any]]]:
    """What `triggers.installed` sends within the block."""
    calls: list[dict[str, Any]] = []

    def hear(**kwargs: Any) -> None:
        calls.append({name: kwargs[name] for name in ("using", "triggers", "migrated")})

    triggers.installed.connect(hear)
    try:
        yield calls
    finally:
        triggers.installed.disconnect(hear)


def test_a_missing_trigger_is_named_and_put_in_once() -> None:
    shout()
    assert triggers.verify() == tuple(Trouble(name, "scratch_child", "is missing") for name in PARTS)
    assert triggers.install() == ("shout",)
    assert triggers.verify() == ()
    assert our_triggers("scratch_child") == PARTS
    assert triggers.install() == ()


def test_nothing_to_do_costs_one_query(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    shout()
    triggers.install()
    with django_assert_num_queries(1):
        assert triggers.install() == ()
    with django_assert_num_queries(1):
        assert triggers.verify() == ()


def test_a_dropped_trigger_is_named_and_put_back() -> None:
    shout()
    triggers.install()
    on = "" if connection.vendor == "sqlite" else " ON scratch_child"
    run(f"DROP TRIGGER {PARTS[0]}{on}")
    assert triggers.verify() == (Trouble(PARTS[0], "scratch_child", "is missing"),)
    assert triggers.install() == ("shout",)
    assert our_triggers("scratch_child") == PARTS


def test_a_trigger_whose_declaration_changed_is_replaced() -> None:
    with triggers.scratch():
        shout(word="old")
        triggers.install()
    shout(word="new")
    assert triggers.verify() == tuple(Trouble(name, "scratch_child", DIFFERS) for name in PARTS)
    assert triggers.install() == ("shout",)
    run("INSERT INTO scratch_child VALUES (1, NULL, 1, 'old')")
    with pytest.raises(Exception, match="shout: too loud"):
        run("INSERT INTO scratch_child VALUES (2, NULL, 1, 'new')")
    assert rows("SELECT note FROM scratch_child") == [("old",)]


_TAMPERED: dict[str, dict[str, tuple[str, ...]]] = {
    "sqlite": {
        "another body": (
            DIFFERS,
            "DROP TRIGGER lens_shout_update",
            "CREATE TRIGGER lens_shout_update BEFORE UPDATE ON scratch_child BEGIN SELECT 1; END",
        ),
        "another table": (
            DIFFERS,
            "DROP TRIGGER lens_shout_update",
            "CREATE TRIGGER lens_shout_update BEFORE UPDATE ON scratch_parent BEGIN SELECT 1; END",
        ),
    },
    "postgresql": {
        "disabled": ("is switched off", "ALTER TABLE scratch_child DISABLE TRIGGER lens_shout_row"),
        "on replicas only": ("is switched off", "ALTER TABLE scratch_child ENABLE REPLICA TRIGGER lens_shout_row"),
        "another body": (
            DIFFERS,
            "CREATE OR REPLACE FUNCTION lens_shout_row() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
        ),
        "fewer events": (
            DIFFERS,
            "CREATE OR REPLACE TRIGGER lens_shout_row BEFORE INSERT ON scratch_child "
            "FOR EACH ROW EXECUTE FUNCTION lens_shout_row()",
        ),
        "another table": (
            DIFFERS,
            "DROP TRIGGER lens_shout_row ON scratch_child",
            "CREATE TRIGGER lens_shout_row BEFORE INSERT OR UPDATE ON scratch_parent "
            "FOR EACH ROW EXECUTE FUNCTION lens_shout_row()",
        ),
    },
}
TAMPERED = _TAMPERED[chosen_engine()]


@pytest.mark.parametrize("tampering", TAMPERED)
def test_a_trigger_that_somebody_tampered_with_is_named_and_mended(tampering: str) -> None:
    what, *statements = TAMPERED[tampering]
    shout()
    triggers.install()
    run(*statements)
    assert [trouble.what for trouble in triggers.verify()] == [what]
    assert triggers.install() == ("shout",)
    assert triggers.verify() == ()
    assert our_triggers("scratch_parent") == []


def test_a_trigger_that_always_fires_is_in_place() -> None:
    """As on the subscriber of a logical replication."""
    shout()
    triggers.install()
    if connection.vendor == "postgresql":
        run("ALTER TABLE scratch_child ENABLE ALWAYS TRIGGER lens_shout_row")
    assert triggers.verify() == ()


def test_one_of_ours_that_nobody_declares_is_taken_out() -> None:
    with triggers.scratch():
        shout("forgotten")
        triggers.install()
    assert triggers.verify() == ()
    assert triggers.install() == ()
    assert our_triggers("scratch_child") == []
    assert [name for name in our_functions() if "forgotten" in name] == []


def test_a_trigger_of_somebody_else_stays() -> None:
    head = "CREATE TRIGGER theirs AFTER INSERT ON scratch_child"
    if connection.vendor == "sqlite":
        run(f"{head} BEGIN SELECT 1; END")
        theirs = "SELECT name FROM sqlite_master WHERE name = 'theirs'"
    else:
        run("CREATE FUNCTION theirs() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'")
        run(f"{head} FOR EACH STATEMENT EXECUTE FUNCTION theirs()")
        theirs = "SELECT tgname FROM pg_trigger WHERE tgname = 'theirs'"
    triggers.install()
    triggers.remove()
    assert rows(theirs) == [("theirs",)]


def test_a_trigger_waits_for_its_table_and_for_those_that_it_needs() -> None:
    triggers.guard(
        "later",
        "scratch_child",
        refuse_when="EXISTS (SELECT 1 FROM scratch_later l WHERE l.id = NEW.id)",
        message="not now",
        needs=("scratch_later",),
    )
    triggers.guard("far", "scratch_later", refuse_when="NEW.id > 1", message="too far")
    assert triggers.verify() == ()
    assert triggers.install() == ()
    run("INSERT INTO scratch_child VALUES (1, NULL, 1, 'a')", "CREATE TABLE scratch_later (id integer PRIMARY KEY)")
    assert triggers.install() == ("later", "far")
    assert triggers.verify() == ()


def test_a_trigger_goes_when_a_table_that_it_needs_has_gone() -> None:
    triggers.guard(
        "orphan",
        "scratch_child",
        refuse_when="EXISTS (SELECT 1 FROM scratch_parent p WHERE p.id = NEW.id)",
        message="no",
        needs=("scratch_parent",),
    )
    triggers.install()
    run("DROP TABLE scratch_parent")
    assert triggers.install(migrated=True) == ()
    assert our_triggers("scratch_child") == []
    run("INSERT INTO scratch_child VALUES (1, NULL, 1, 'a')")


def test_the_functions_of_a_dropped_table_are_taken_out() -> None:
    shout()
    triggers.install()
    run("DROP TABLE scratch_child")
    assert triggers.verify() == ()
    triggers.install()
    assert [name for name in our_functions() if "shout" in name] == []


def test_removing_takes_all_of_ours_off() -> None:
    shout()
    triggers.install()
    assert set(PARTS) <= set(triggers.remove())
    assert our_triggers("scratch_child") == []
    assert our_functions() == []
    run("INSERT INTO scratch_child VALUES (1, NULL, 1, 'loud')")


def test_who_listens_hears_what_was_put_in_and_nothing_when_nothing_was() -> None:
    trigger = shout()
    with heard() as calls:
        triggers.install()
        triggers.install()
    assert calls == [{"using": "default", "triggers": [trigger], "migrated": False}]


def test_who_listens_hears_of_a_migration_even_when_nothing_was_put_in() -> None:
    shout()
    triggers.install()
    with heard() as calls:
        triggers.install(migrated=True)
    assert calls == [{"using": "default", "triggers": [], "migrated": True}]


def test_triggers_and_what_listeners_write_are_put_in_together_or_not_at_all() -> None:
    def fail(**kwargs: Any) -> None:
        raise RuntimeError("cannot announce")

    shout()
    triggers.installed.connect(fail)
    try:
        with pytest.raises(RuntimeError, match="cannot announce"):
            triggers.install()
    finally:
        triggers.installed.disconnect(fail)
    assert our_triggers("scratch_child") == []


def test_a_trigger_with_parts_on_one_database_only_is_never_missed() -> None:
    on_sqlite = connection.vendor == "sqlite"
    triggers.declare(
        Trigger(
            "elsewhere",
            "scratch_child",
            () if on_sqlite else (SqlitePart("insert", "AFTER INSERT", "SELECT 1;"),),
            (PostgresPart("insert", "AFTER INSERT", "RETURN NULL;"),) if on_sqlite else (),
        )
    )
    assert triggers.verify() == ()
    assert triggers.install() == ()
