"""PostgreSQL commits in another order than it numbers rows: what comes late is found all the same."""

from __future__ import annotations

import pytest
from django.db import connection

from mcp_bridge.changes import Kept, Sweep, generation, read_through
from tests.mcp_bridge.changes.clients import client
from tests.mcp_bridge.changes.conftest import ITEMS
from tests.mcp_bridge.changes.shop import Item

pytestmark = pytest.mark.usefixtures("tracked_shop")

WRITE = "UPDATE shop_item SET label = 'late' WHERE code = 'a'"


def heard(sweep: Sweep) -> set[str]:
    return {key for topic, key in sweep.changed() if topic == ITEMS}


def newest_id() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT max(id) FROM mcp_bridge_change")
        return int(cursor.fetchone()[0])


def test_a_commit_that_comes_after_a_later_one_is_heard_of_and_moves_the_generation() -> None:
    sweep = Sweep()
    sweep.changed()
    with client() as early:
        early.execute(WRITE)
        Item.objects.filter(code="b").update(label="quick")
        assert heard(sweep) == {"b"}
        before, highest = generation([ITEMS]), newest_id()
        early.commit()
    assert newest_id() == highest, "the late commit has a lower id: a cursor on ids would have lost it"
    assert heard(sweep) == {"a"}
    after = generation([ITEMS])
    assert after.number == before.number + 1
    assert before.last_modified is not None
    assert after.last_modified is not None
    assert after.last_modified > before.last_modified


def test_a_kept_value_is_dropped_by_a_late_commit() -> None:
    kept: Kept[list[str]] = Kept()

    def labels() -> list[str]:
        return list(Item.objects.order_by("id").values_list("label", flat=True))

    with client() as early:
        early.execute(WRITE)
        Item.objects.filter(code="b").update(label="quick")
        assert read_through(kept, "labels", labels, topics=[ITEMS]).value == ["A", "quick", "C"]
        early.commit()
    assert read_through(kept, "labels", labels, topics=[ITEMS]).value == ["late", "quick", "C"]


def test_a_transaction_that_stays_open_delays_nobody() -> None:
    sweep = Sweep()
    sweep.changed()
    with client() as idle:
        idle.execute("SELECT pg_current_xact_id()")
        for code in "abc":
            Item.objects.filter(code=code).update(label="x")
            assert heard(sweep) == {code}
            assert heard(sweep) == set()


def test_many_late_commits_are_each_heard_of_once_in_whatever_order_they_come() -> None:
    sweep = Sweep()
    sweep.changed()
    with client() as first, client() as second, client() as third:
        for other, code in ((first, "a"), (second, "b"), (third, "c")):
            other.execute(WRITE.replace("'a'", f"'{code}'"))
        for other, code in ((third, "c"), (first, "a"), (second, "b")):
            other.commit()
            assert heard(sweep) == {code}
    assert heard(sweep) == set()


def test_a_savepoint_is_of_the_transaction_that_commits() -> None:
    """Its rows carry the outer transaction, whose snapshot a sweeper compares."""
    sweep = Sweep()
    sweep.changed()
    with client() as other:
        other.execute("SAVEPOINT one")
        other.execute(WRITE)
        other.execute("RELEASE SAVEPOINT one")
        assert heard(sweep) == set()
        other.commit()
    assert heard(sweep) == {"a"}
