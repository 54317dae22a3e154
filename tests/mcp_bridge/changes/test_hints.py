"""A hint follows each commit of tracked rows, once, and never one that was rolled back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import transaction

from mcp_bridge.changes import hint, look_now
from tests.mcp_bridge.changes.shop import Item, Shelf

pytestmark = pytest.mark.usefixtures("tracked_shop")


@pytest.fixture
def hints() -> Iterator[list[str]]:
    """The databases of which somebody said: look now."""
    heard: list[str] = []

    def hear(using: str, **kwargs: object) -> None:
        heard.append(using)

    look_now.connect(hear)
    yield heard
    look_now.disconnect(hear)


def item() -> Item:
    return Item.objects.get(code="a")


def test_a_save_and_a_delete_of_a_tracked_row_hint(hints: list[str]) -> None:
    row = item()
    row.save()
    assert hints == ["default"]
    row.delete()
    assert hints == ["default"] * 2


def test_a_hint_comes_after_the_commit_and_once_for_it(hints: list[str]) -> None:
    with transaction.atomic():
        for label in ("x", "y", "z"):
            Item(id=1, code="a", shelf_id=1, label=label).save()
        with transaction.atomic():
            Item.objects.get(code="b").save()
        assert hints == []
    assert hints == ["default"]


def test_what_was_rolled_back_hints_nothing(hints: list[str]) -> None:
    with transaction.atomic():
        item().save()
        transaction.set_rollback(True)
    with transaction.atomic(), transaction.atomic():
        item().save()
        transaction.set_rollback(True)
    assert hints == []


def test_rows_that_nobody_tracks_hint_nothing(hints: list[str]) -> None:
    Shelf.objects.get(name="s2").save()
    assert hints == []


def test_code_that_writes_past_signals_may_hint_itself(hints: list[str]) -> None:
    hint()
    assert hints == ["default"]
    with transaction.atomic():
        Item.objects.update(label="x")
        hint()
        hint()
        assert hints == ["default"]
    assert hints == ["default"] * 2


def test_a_receiver_that_fails_harms_neither_the_writer_nor_the_others(hints: list[str]) -> None:
    def fail(**kwargs: object) -> None:
        raise RuntimeError("layer is away")

    look_now.connect(fail)
    try:
        Item.objects.create(code="d", shelf_id=1)
    finally:
        look_now.disconnect(fail)
    assert Item.objects.filter(code="d").exists()
    assert hints == ["default"]
