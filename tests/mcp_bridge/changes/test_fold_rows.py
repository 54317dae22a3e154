"""Which rows of PostgreSQL's log are folded, and into what."""

from __future__ import annotations

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection

from mcp_bridge.changes import Sweep, fold, generation
from mcp_bridge.changes.fold import _FOLD
from mcp_bridge.models import Change, ChangeTotal
from tests.mcp_bridge.changes.clients import client
from tests.mcp_bridge.changes.conftest import ITEMS
from tests.mcp_bridge.changes.shop import Item

pytestmark = pytest.mark.usefixtures("tracked_shop")

NOW = timedelta(0)


def write(code: str, label: str = "x") -> None:
    Item.objects.filter(code=code).update(label=label)


def left() -> Counter[str]:
    """The keys of shop.items that are still in the log."""
    return Counter(Change.objects.filter(topic=ITEMS).values_list("key", flat=True))


def totals() -> dict[str, int]:
    return dict(ChangeTotal.objects.filter(topic=ITEMS).values_list("key", "changes"))


def age(seconds: int) -> None:
    """Have every row of the log be older."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE mcp_bridge_change SET changed_at = changed_at - make_interval(secs => %s)", [seconds])


def test_old_rows_become_totals_by_key_and_by_topic() -> None:
    write("a", "one")
    write("a", "two")
    write("b")
    newest = generation([ITEMS]).last_modified
    assert fold(keep=NOW) > 0
    assert left() == Counter()
    assert totals() == {"*": 1, "a": 2, "b": 1, "": 4}
    assert ChangeTotal.objects.get(topic=ITEMS, key="").changed_at == newest
    write("a", "three")
    fold(keep=NOW)
    assert totals() == {"*": 1, "a": 3, "b": 1, "": 5}


def test_the_total_of_all_rows_stays_apart_from_that_of_the_topic() -> None:
    fold(keep=NOW)
    assert totals() == {"*": 1, "": 1}


def test_rows_that_are_younger_than_the_keeping_time_stay() -> None:
    fold(keep=NOW)
    age(100)
    write("a")
    assert fold(keep=timedelta(seconds=30)) == 0
    assert left() == Counter("a")
    age(31)
    assert fold(keep=timedelta(seconds=30)) > 0
    assert left() == Counter()


def test_the_newest_time_survives_a_fold_of_older_rows() -> None:
    write("a")
    fold(keep=NOW)
    newest = generation([ITEMS]).last_modified
    write("a", "y")
    age(3600)
    fold(keep=NOW)
    assert generation([ITEMS]).last_modified == newest


def test_rows_that_some_snapshot_does_not_see_stay() -> None:
    """While an older transaction is open, a sweeper's snapshot may be from before the row."""
    fold(keep=NOW)
    with client() as idle:
        idle.execute("SELECT pg_current_xact_id()")
        sweep = Sweep()
        sweep.changed()
        write("a")
        assert fold(keep=NOW) == 0
        assert left() == Counter("a")
        assert (ITEMS, "a") in sweep.changed()
        idle.rollback()
    assert fold(keep=NOW) > 0


def test_what_is_not_committed_is_not_folded() -> None:
    fold(keep=NOW)
    with client() as other:
        other.execute("UPDATE shop_item SET label = 'x' WHERE code = 'a'")
        assert fold(keep=NOW) == 0
        other.commit()
    assert left() == Counter("a")


def test_two_folds_at_once_count_each_row_once() -> None:
    write("a")
    before = generation([ITEMS])
    with client() as other, ThreadPoolExecutor(1) as threads:
        other.execute(_FOLD, [0])
        second = threads.submit(fold_and_disconnect)
        wait_until_somebody_waits()
        other.commit()
        assert second.result(timeout=10) == 0
    assert generation([ITEMS]) == before
    assert totals() == {"*": 1, "a": 1, "": 2}


def fold_and_disconnect() -> int:
    try:
        return fold(keep=NOW)
    finally:
        connection.close()


def wait_until_somebody_waits() -> None:
    query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    deadline = time.monotonic() + 10
    while True:
        with connection.cursor() as cursor:
            cursor.execute(query)
            if cursor.fetchone()[0]:
                return
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_rows_of_another_clusters_future_are_folded_whatever_their_age() -> None:
    """After a restore the numbers of their transactions lie ahead of this cluster's."""
    write("a")
    before = generation([ITEMS])
    with connection.cursor() as cursor:
        cursor.execute("UPDATE mcp_bridge_change SET xid = '9000000000000'::xid8 WHERE topic = %s", [ITEMS])
    assert fold(keep=timedelta(days=1)) == 2
    assert left() == Counter()
    assert totals() == {"*": 1, "a": 1, "": 2}
    assert generation([ITEMS]) == before
