"""Folding keeps what readers see: on SQLite there is nothing to fold."""

from __future__ import annotations

from datetime import timedelta

import pytest

from lensproject.core.jobs.registry import registered
from mcp_bridge.changes import Sweep, fold, generation
from mcp_bridge.changes.fold import EVERY_SECONDS, KEEP
from mcp_bridge.changes.sweep import LONGEST_SILENCE
from tests.databases import chosen_engine
from tests.mcp_bridge.changes.conftest import ITEMS, PARTS
from tests.mcp_bridge.changes.shop import Item


@pytest.mark.usefixtures("tracked_shop")
def test_folding_changes_no_generation_and_is_no_change() -> None:
    Item.objects.update(label="x")
    looks = [([ITEMS], None), ([ITEMS, PARTS], None), ([ITEMS], ["a"]), ([ITEMS], ["a", "c"]), ([ITEMS], ["new"])]
    before = [generation(topics, keys) for topics, keys in looks]
    sweep = Sweep()
    sweep.changed()
    for _ in range(2):
        fold(keep=timedelta(0))
        assert [generation(topics, keys) for topics, keys in looks] == before
    assert sweep.changed() == set()
    Item.objects.filter(code="a").update(label="y")
    assert [
        generation(topics, keys).number != old.number for (topics, keys), old in zip(looks, before, strict=True)
    ] == [
        True,
        True,
        True,
        True,
        False,
    ]


def test_rows_are_kept_longer_than_a_sweeper_may_be_silent() -> None:
    assert timedelta(seconds=LONGEST_SILENCE) < KEEP == timedelta(seconds=30)


def test_the_workers_fold_every_ten_seconds_where_there_is_something_to_fold() -> None:
    jobs = {job.name: job for job in registered(chosen_engine())}
    if chosen_engine() == "postgresql":
        assert jobs["mcp_bridge.fold"].function is fold
        assert jobs["mcp_bridge.fold"].period == EVERY_SECONDS == 10
    else:
        assert "mcp_bridge.fold" not in jobs
