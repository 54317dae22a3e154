"""Kept payloads: bounded, never older than the log, never mixed from two states."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import transaction
from pytest_django import DjangoAssertNumQueries

from mcp_bridge.changes import Fresh, Kept, generation, read_through
from mcp_bridge.changes.keeping import ATTEMPTS
from tests.mcp_bridge.changes.conftest import ITEMS
from tests.mcp_bridge.changes.shop import Item


class Rendering:
    """Renders the labels of all items, counts how often, and lets a test write in between."""

    def __init__(self, meanwhile: Callable[[int], None] = lambda count: None) -> None:
        self.count = 0
        self._meanwhile = meanwhile

    def __call__(self) -> str:
        self.count += 1
        labels = " ".join(Item.objects.order_by("id").values_list("label", flat=True))
        self._meanwhile(self.count)
        return labels


def write(label: str) -> None:
    Item.objects.filter(code="a").update(label=label)


def look(kept: Kept[str], render: Callable[[], str], keys: list[str] | None = None) -> Fresh[str]:
    return read_through(kept, "labels", render, topics=[ITEMS], keys=keys)


def test_a_value_is_kept_under_its_generation() -> None:
    kept: Kept[str] = Kept()
    kept.put("name", 1, "one")
    assert kept.get("name", 1) == ("one",)
    assert kept.get("name", 2) is None
    assert kept.get("other", 1) is None


def test_a_newer_value_takes_the_place_of_the_older() -> None:
    kept: Kept[str] = Kept()
    kept.put("name", 1, "one")
    kept.put("name", 2, "two")
    assert kept.get("name", 1) is None
    assert kept.get("name", 2) == ("two",)
    assert len(kept) == 1


def test_the_least_recently_used_goes_first() -> None:
    kept: Kept[str] = Kept(entries=2)
    kept.put("a", 1, "a")
    kept.put("b", 1, "b")
    kept.get("a", 1)
    kept.put("c", 1, "c")
    assert [kept.get(name, 1) for name in "abc"] == [("a",), None, ("c",)]


def test_values_never_weigh_more_than_they_may_together() -> None:
    kept: Kept[str] = Kept(weight=10, weigh=len)
    for name in "abc":
        kept.put(name, 1, name * 4)
    assert [kept.get(name, 1) for name in "abc"] == [None, ("bbbb",), ("cccc",)]
    kept.put("b", 2, "b" * 7)
    assert [kept.get("b", 2), kept.get("c", 1)] == [("b" * 7,), None]


def test_one_that_is_too_heavy_is_not_kept_and_its_older_value_goes() -> None:
    kept: Kept[str] = Kept(weight=10, weigh=len)
    kept.put("other", 1, "small")
    kept.put("name", 1, "old")
    kept.put("name", 2, "x" * 11)
    assert kept.get("name", 1) is None
    assert kept.get("name", 2) is None
    assert kept.get("other", 1) == ("small",)


def test_clearing_forgets_all_and_makes_room() -> None:
    kept: Kept[str] = Kept(weight=10, weigh=len)
    kept.put("a", 1, "x" * 10)
    kept.clear()
    assert len(kept) == 0
    kept.put("b", 1, "y" * 10)
    assert kept.get("b", 1) == ("y" * 10,)


def test_a_value_that_is_none_is_kept_like_any_other() -> None:
    kept: Kept[None] = Kept()
    kept.put("name", 1, None)
    assert kept.get("name", 1) == (None,)


@pytest.mark.usefixtures("tracked_shop")
def test_a_second_reader_gets_the_kept_value_for_one_statement(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    kept: Kept[str] = Kept()
    render = Rendering()
    first = look(kept, render)
    with django_assert_num_queries(1):
        second = look(kept, render)
    assert first == second == Fresh("A B C", generation([ITEMS]).last_modified, kept=True)
    assert render.count == 1


@pytest.mark.usefixtures("tracked_shop")
def test_after_a_write_the_next_reader_gets_the_new_value_and_time() -> None:
    kept: Kept[str] = Kept()
    render = Rendering()
    look(kept, render)
    write("x")
    assert look(kept, render) == Fresh("x B C", generation([ITEMS]).last_modified, kept=True)
    assert render.count == 2


@pytest.mark.usefixtures("tracked_shop")
def test_what_another_key_changed_leaves_the_kept_value() -> None:
    kept: Kept[str] = Kept()
    render = Rendering()
    look(kept, render, keys=["b"])
    write("x")
    look(kept, render, keys=["b"])
    assert render.count == 1


@pytest.mark.usefixtures("tracked_shop")
def test_a_write_during_the_rendering_has_it_rendered_again() -> None:
    kept: Kept[str] = Kept()
    render = Rendering(lambda count: write("x") if count == 1 else None)
    assert look(kept, render) == Fresh("x B C", generation([ITEMS]).last_modified, kept=True)
    assert render.count == 2
    assert look(kept, render).value == "x B C"
    assert render.count == 2


@pytest.mark.usefixtures("tracked_shop")
def test_when_each_rendering_is_overtaken_the_last_is_given_and_not_kept() -> None:
    kept: Kept[str] = Kept()
    seen: list[Fresh[str]] = []

    def meanwhile(count: int) -> None:
        seen.append(Fresh("", generation([ITEMS]).last_modified, kept=False))
        write(f"x{count}")

    render = Rendering(meanwhile)
    fresh = look(kept, render)
    assert render.count == ATTEMPTS == 5
    assert (fresh.value, fresh.kept) == ("x4 B C", False)
    assert fresh.last_modified == seen[-1].last_modified
    assert len(kept) == 0


@pytest.mark.usefixtures("tracked_shop")
def test_inside_a_transaction_nothing_is_kept_and_nothing_kept_is_given() -> None:
    kept: Kept[str] = Kept()
    render = Rendering()
    look(kept, render)
    with transaction.atomic():
        write("mine")
        inside = look(kept, render)
        assert (inside.value, inside.kept) == ("mine B C", False)
        transaction.set_rollback(True)
    assert look(kept, render).value == "A B C"
    assert render.count == 2


@pytest.mark.usefixtures("tracked_shop")
def test_a_rendering_that_fails_is_not_kept() -> None:
    kept: Kept[str] = Kept()

    def fail() -> str:
        raise LookupError("source is away")

    with pytest.raises(LookupError, match="source is away"):
        look(kept, fail)
    assert len(kept) == 0
