"""A sweeper hears of each commit once, and of everything when it may have missed some."""

from __future__ import annotations

import pytest
from django.db import transaction
from pytest_django import DjangoAssertNumQueries

from mcp_bridge import changes
from mcp_bridge.changes import Sweep, announce
from mcp_bridge.changes.sweep import LONGEST_SILENCE
from tests.mcp_bridge.changes.clients import client
from tests.mcp_bridge.changes.conftest import ITEMS, PARTS
from tests.mcp_bridge.changes.shop import Item

pytestmark = pytest.mark.usefixtures("tracked_shop")

EVERYTHING = "every tracked topic"


class Clock:
    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


def everything() -> set[tuple[str, str]]:
    return {(topic, "*") for topic in changes.topics()}


def write(code: str) -> None:
    Item.objects.filter(code=code).update(label="written")


def heard(sweep: Sweep) -> set[str]:
    """The keys of shop.items that it hears of now."""
    return {key for topic, key in sweep.changed() if topic == ITEMS}


def test_the_first_sweep_gives_every_topic_and_the_second_nothing() -> None:
    sweep = Sweep()
    assert {(ITEMS, "*"), (PARTS, "*")} <= everything()
    assert sweep.changed() == everything()
    assert sweep.changed() == set()


def test_a_commit_is_heard_of_once_by_each_sweeper() -> None:
    first, second = Sweep(), Sweep()
    first.changed()
    second.changed()
    write("a")
    assert first.changed() == {(ITEMS, "a"), (PARTS, "1")}
    assert first.changed() == set()
    assert second.changed() == {(ITEMS, "a"), (PARTS, "1")}


def test_many_commits_on_one_key_are_one_event() -> None:
    sweep = Sweep()
    sweep.changed()
    for label in ("x", "y", "z"):
        Item.objects.filter(code="a").update(label=label)
    assert sweep.changed() == {(ITEMS, "a"), (PARTS, "1")}


def test_an_open_transaction_is_not_heard_of_before_it_commits() -> None:
    sweep = Sweep()
    sweep.changed()
    with client() as other:
        other.execute("UPDATE shop_item SET label = 'x' WHERE code = 'a'")
        assert sweep.changed() == set()
        other.commit()
    assert heard(sweep) == {"a"}
    assert heard(sweep) == set()


def test_what_was_rolled_back_is_never_heard_of() -> None:
    sweep = Sweep()
    sweep.changed()
    with client() as other:
        other.execute("UPDATE shop_item SET label = 'x'")
        other.rollback()
    with transaction.atomic():
        write("b")
        transaction.set_rollback(True)
    write("c")
    assert heard(sweep) == {"c"}


def test_an_announcement_is_heard_as_every_row() -> None:
    sweep = Sweep()
    sweep.changed()
    announce([ITEMS])
    assert sweep.changed() == {(ITEMS, "*")}


def test_after_a_silence_everything_is_announced_and_then_only_what_changes() -> None:
    clock = Clock()
    sweep = Sweep(clock=clock)
    sweep.changed()
    clock.seconds += LONGEST_SILENCE - 1
    assert sweep.changed() == set()
    write("a")
    clock.seconds += LONGEST_SILENCE
    assert sweep.changed() == everything() | {(ITEMS, "a"), (PARTS, "1")}
    assert sweep.changed() == set()


def test_a_look_that_takes_long_itself_counts_as_silence() -> None:
    """Rows may be folded while the question is on its way."""

    class Slow(Clock):
        def __call__(self) -> float:
            self.seconds += LONGEST_SILENCE / 2
            return self.seconds

    sweep = Sweep(clock=Slow())
    sweep.changed()
    assert sweep.changed() == everything()


def test_a_look_is_one_statement(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    sweep = Sweep()
    with django_assert_num_queries(2):
        sweep.changed()
        sweep.changed()
