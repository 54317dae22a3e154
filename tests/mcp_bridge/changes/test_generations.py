"""A generation is another one whenever a committed change became visible, and lastModified is of the same look."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection, transaction
from pytest_django import DjangoAssertNumQueries

from mcp_bridge.changes import Generation, announce, generation
from tests.mcp_bridge.changes.clients import client
from tests.mcp_bridge.changes.conftest import ITEMS, PARTS, TICK
from tests.mcp_bridge.changes.shop import Item, Note

pytestmark = pytest.mark.usefixtures("tracked_shop")


def test_what_nobody_tracks_has_no_generation_and_no_time() -> None:
    assert generation(["shop.nothing"]) == Generation(0, None)
    assert generation(["shop.nothing"], ["a"]) == Generation(0, None)


def test_a_topic_has_a_time_from_the_moment_its_triggers_were_put_in() -> None:
    for keys in (None, ["a"], ["never seen"]):
        seen = generation([ITEMS], keys)
        assert seen.number > 0
        assert seen.last_modified is not None
        assert seen.last_modified.tzinfo is UTC
        assert datetime.now(UTC) - timedelta(seconds=30) < seen.last_modified <= datetime.now(UTC)


def test_no_topic_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="a generation is of at least one topic"):
        generation([])


def test_a_generation_of_many_topics_moves_with_each_of_them_and_no_other() -> None:
    before = generation([ITEMS, PARTS])
    Note.objects.filter(item_id=1).update(text="x")
    after = generation([PARTS, ITEMS, PARTS])
    assert after.number != before.number
    assert after.last_modified == generation([PARTS]).last_modified
    announce(["shop.other"])
    assert generation([ITEMS, PARTS]) == after


def test_a_generation_of_many_keys_moves_with_each_of_them_and_no_other() -> None:
    before = generation([ITEMS], ["a", "b"])
    Item.objects.filter(code="c").update(label="x")
    assert generation([ITEMS], ["a", "b"]) == before
    Item.objects.filter(code="b").update(label="x")
    assert generation([ITEMS], ["b", "a"]).number != before.number


def test_a_change_of_every_row_moves_keys_that_were_never_seen() -> None:
    before = generation([ITEMS], ["never seen"])
    announce([ITEMS])
    assert generation([ITEMS], ["never seen"]).number != before.number


def test_no_keys_at_all_move_with_every_row_only() -> None:
    before = generation([ITEMS], [])
    Item.objects.update(label="x")
    assert generation([ITEMS], []) == before
    announce([ITEMS])
    assert generation([ITEMS], []).number != before.number


def test_a_key_of_one_topic_is_not_that_of_another() -> None:
    before = generation([PARTS], ["a"])
    Item.objects.filter(code="a").update(label="x")
    assert generation([PARTS], ["a"]) == before


def test_each_look_is_one_statement(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    for keys in (None, ["a", "b"]):
        with django_assert_num_queries(1):
            generation([ITEMS, PARTS], keys)


def test_keys_are_values_and_never_sql() -> None:
    hostile = "x'; DROP TABLE shop_item; --"
    Item.objects.filter(code="a").update(code=hostile[:20])
    assert generation([ITEMS], [hostile, '"', "%s", "\\"]).number > 0
    assert Item.objects.count() == 3


def test_an_open_transaction_of_another_moves_nothing_until_it_commits() -> None:
    before = generation([ITEMS])
    with client() as other:
        other.execute("UPDATE shop_item SET label = 'x' WHERE id = 1")
        assert generation([ITEMS]) == before
        other.commit()
    assert generation([ITEMS]).number != before.number


def test_a_rollback_of_another_moves_nothing() -> None:
    before = generation([ITEMS])
    with client() as other:
        other.execute("UPDATE shop_item SET label = 'x'")
        other.rollback()
    assert generation([ITEMS]) == before


def test_last_modified_is_never_older_than_what_a_reader_saw_before_it() -> None:
    """PostgreSQL writes the clock of the commit; SQLite, where writers are alone, that of the statement."""
    with client() as other:
        other.execute("UPDATE shop_item SET label = 'x' WHERE id = 1")
        statement_ended = datetime.now(UTC)
        time.sleep(0.05)
        before_commit = datetime.now(UTC)
        other.commit()
    last_modified = generation([ITEMS]).last_modified
    assert last_modified is not None
    if connection.vendor == "postgresql":
        assert before_commit <= last_modified <= datetime.now(UTC)
    else:
        assert statement_ended - timedelta(seconds=1) <= last_modified <= statement_ended + TICK


def test_inside_a_transaction_its_own_writes_count_and_a_rollback_takes_them_back() -> None:
    before = generation([ITEMS])
    with transaction.atomic():
        Item.objects.update(label="x")
        assert generation([ITEMS]).number != before.number
        transaction.set_rollback(True)
    assert generation([ITEMS]) == before
