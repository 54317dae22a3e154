"""`track` is checked when it is read: a mistake is named at once, and declares nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import models

from bazaar.models import CatalogEntry, Network, PaymentOption
from lensproject.core import triggers
from lensproject.core.models import Curated
from mcp_bridge import changes
from mcp_bridge.changes import TrackingError
from mcp_bridge.changes.trigger_sql import Tracked, change_trigger
from tests.mcp_bridge.changes.shop import Item, Note


class Loose(models.Model):
    """What a key may not be, and names that are clocks."""

    uuid: models.UUIDField[Any, Any] = models.UUIDField()
    touched = models.DateTimeField(auto_now=True)
    born = models.DateTimeField(auto_now_add=True)
    view_count = models.IntegerField(default=0)

    class Meta:
        app_label = "shop"

    def __str__(self) -> str:
        return str(self.uuid)


class Proxy(Item):
    class Meta:
        app_label = "shop"
        proxy = True

    def __str__(self) -> str:
        return "proxy"


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    with changes.scratch():
        yield


def test_fields_and_columns_are_named_alike() -> None:
    expected = Tracked("shop.items", "shop_item", "id", "code", ("label", "shelf_id"))
    assert changes.track(Item, topic="shop.items", key="code", columns=("label", "shelf")) == expected
    assert changes.track(Item, topic="shop.items", key="code", columns=["shelf_id", "label", "shelf"]) == expected


def test_the_key_is_the_primary_key_unless_said() -> None:
    assert changes.track(Item, topic="shop.items", columns=("label",)).key == "id"
    assert changes.track(Note, topic="shop.items", key="item", columns=("text",)).key == "item_id"


def test_key_and_primary_key_are_compared_too() -> None:
    tracked = changes.track(Item, topic="shop.items", key="code", columns=("label",))
    assert tracked.compared() == ("code", "id", "label")


def test_a_topic_rests_on_many_tables_and_a_table_carries_many_topics() -> None:
    changes.track(CatalogEntry, topic="shop.entry", columns=("title",))
    changes.track(PaymentOption, topic="shop.entry", key="entry", columns=("amount",))
    changes.track(PaymentOption, topic="shop.option", columns=("amount",))
    assert {"shop.entry", "shop.option"} <= set(changes.topics())
    declared = {trigger.name: trigger.table for trigger in triggers.declared() if "_shop_" in trigger.name}
    assert declared == {
        "change_bazaar_catalogentry_shop_entry": "bazaar_catalogentry",
        "change_bazaar_paymentoption_shop_entry": "bazaar_paymentoption",
        "change_bazaar_paymentoption_shop_option": "bazaar_paymentoption",
    }


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("lable", r"shop\.Item has no column 'lable'; it has id, code, shelf_id, label, price, data, looks, last_seen"),
        ("notes", "has no column 'notes'"),
        ("last_seen", "'last_seen' is a clock or a counter"),
    ],
)
def test_a_column_that_cannot_be_is_named(column: str, message: str) -> None:
    before = changes.topics()
    with pytest.raises(TrackingError, match=rf"^track\(Item, topic='shop\.items'\): .*{message}"):
        changes.track(Item, topic="shop.items", columns=("label", column))
    assert changes.topics() == before
    assert "change_shop_item_shop_items" not in [trigger.name for trigger in triggers.declared()]


@pytest.mark.parametrize("name", ["touched", "born", "view_count"])
def test_what_follows_the_clock_or_counts_is_refused_by_what_it_is(name: str) -> None:
    with pytest.raises(TrackingError, match=f"'{name}' is a clock or a counter"):
        changes.track(Loose, topic="shop.loose", columns=(name,))


@pytest.mark.parametrize("name", ["row_version", "created_at", "updated_at"])
def test_the_clocks_of_curated_rows_are_refused(name: str) -> None:
    with pytest.raises(TrackingError, match=f"'{name}' is a clock or a counter"):
        changes.track(Network, topic="shop.networks", columns=("name", name))


def test_no_columns_are_refused() -> None:
    with pytest.raises(TrackingError, match="names no column; list those that a payload shows"):
        changes.track(Item, topic="shop.items", columns=())


def test_a_key_that_the_databases_write_differently_is_refused() -> None:
    with pytest.raises(TrackingError, match="key 'uuid' is a UUIDField; a key is text or an integer"):
        changes.track(Loose, topic="shop.loose", key="uuid", columns=("uuid",))


@pytest.mark.parametrize("model", [Curated, Proxy])
def test_a_model_without_a_table_is_refused(model: type[models.Model]) -> None:
    with pytest.raises(TrackingError, match=r"the model has no table of its own"):
        changes.track(model, topic="shop.items", columns=("label",))


@pytest.mark.parametrize("topic", ["", "pairs", "Lens.pairs", "lens.", "lens pairs", "lens.pairs'--", "a." + "b" * 63])
def test_a_topic_is_words_joined_by_dots(topic: str) -> None:
    with pytest.raises(TrackingError, match=r"lower-case words joined by dots, such as 'lens\.pairs'"):
        changes.track(Item, topic=topic, columns=("label",))
    assert topic not in changes.topics()


def test_the_same_again_is_harmless_and_another_shape_is_refused() -> None:
    first = changes.track(Item, topic="shop.items", columns=("label",))
    assert changes.track(Item, topic="shop.items", columns=("label",)) == first
    with pytest.raises(TrackingError, match="declared already with another key or columns"):
        changes.track(Item, topic="shop.items", columns=("label", "code"))
    with pytest.raises(TrackingError, match="declared already with another key or columns"):
        changes.track(Item, topic="shop.items", key="code", columns=("label",))


def test_names_that_postgresql_would_cut_are_shortened_and_stay_apart() -> None:
    tables = ("a_table_whose_name_is_rather_long_1", "a_table_whose_name_is_rather_long_2")
    names = [change_trigger(Tracked("shop.a_long_topic", table, "id", "id", ("label",))).name for table in tables]
    assert len(set(names)) == 2
    with triggers.scratch():
        for table in tables:
            triggers.declare(change_trigger(Tracked("shop.a_long_topic", table, "id", "id", ("label",))))
