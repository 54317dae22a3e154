"""Whatever column a payload shows, a change of it moves the topics that the payload rests on."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, connection, models, transaction

from bazaar.catalog.reading import inspect
from bazaar.catalog.supported import supported_networks
from bazaar.markets.listing import pair_list, venue_list
from bazaar.mcp.tracked import ASSETS, ENTRIES, NETWORKS, PAIRS, SELLERS, VENUES
from bazaar.models import Asset, CatalogEntry, Network, Pair, PaymentOption, Seller, Venue
from lensproject.core.callers import ANONYMOUS
from lensproject.core.errors import NotFound
from mcp_bridge.changes import generation, topics
from tests.builders import make_entry, make_network, make_pair, make_venue

pytestmark = pytest.mark.django_db
Payload = Callable[[], object]


def shown_entry() -> object:
    """The only entry, as inspect_resource tells of it."""
    entry = CatalogEntry.objects.get()
    try:
        return inspect(entry.public_id, list(Network.objects.all()))
    except NotFound:
        return None


PAYLOADS: dict[str, tuple[Payload, tuple[str, ...], tuple[type[models.Model], ...]]] = {
    "pairs": (pair_list, (PAIRS, ASSETS, NETWORKS), (Pair, Asset, Network)),
    "venues": (venue_list, (VENUES, NETWORKS), (Venue, Network)),
    "networks": (lambda: supported_networks(ANONYMOUS), (ASSETS, NETWORKS), (Asset, Network)),
    "entry": (
        shown_entry,
        (ENTRIES, SELLERS, ASSETS, NETWORKS),
        (CatalogEntry, PaymentOption, Seller, Asset, Network),
    ),
}
CASES = [
    pytest.param(payload, rests_on, model, field, id=f"{name}-{model.__name__}-{field.name}")
    for name, (payload, rests_on, shown) in PAYLOADS.items()
    for model in shown
    for field in model._meta.concrete_fields
]


@pytest.mark.parametrize(("payload", "rests_on", "model", "field"), CASES)
def test_what_a_payload_shows_is_tracked(
    payload: Payload, rests_on: tuple[str, ...], model: type[models.Model], field: models.Field[Any, Any]
) -> None:
    everything()
    before, was = json.dumps(payload()), generation(rests_on).number
    if not changed(model, field):
        return
    moved = generation(rests_on).number != was
    assert moved or json.dumps(payload()) == before


def everything() -> None:
    """One row of each, and a second network and seller to move to."""
    make_network("stellar:testnet", is_default=False)
    make_pair(network=make_network("stellar:local"))
    make_venue(network=make_network("stellar:local"))
    make_entry(input_schema={"type": "object"}, example={"city": "Rome"})
    Seller.objects.create(name="Second")


def changed(model: type[models.Model], field: models.Field[Any, Any]) -> bool:
    """Whether the column took another value in every row; the database refuses some, and then none is shown."""
    table, column = (connection.ops.quote_name(str(name)) for name in (model._meta.db_table, field.column))
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"UPDATE {table} SET {column} = %s", [other_value(model, field)])  # noqa: S608
            connection.check_constraints()
    except DatabaseError:
        return False
    return True


def other_value(model: type[models.Model], field: models.Field[Any, Any]) -> Any:
    if isinstance(field, models.ForeignKey):
        return field.related_model._base_manager.order_by("-pk").values_list("pk", flat=True).first()
    value = model._base_manager.values_list(field.attname, flat=True).first()
    if isinstance(field, models.JSONField):
        return json.dumps(["other"])
    if isinstance(field, models.DateTimeField):
        return "2026-01-01 00:00:00+00:00"
    if isinstance(field, models.BooleanField):
        return not value
    if field.choices:
        return next((choice for choice, _ in field.flatchoices if choice != value), value)
    return value + 1 if isinstance(value, int) else f"{value}x"


def test_most_columns_could_be_changed() -> None:
    """Else the test above would prove nothing."""
    everything()
    tried = [(model, field) for model in (CatalogEntry, PaymentOption, Venue) for field in model._meta.concrete_fields]
    done = [f"{model.__name__}.{field.name}" for model, field in tried if changed(model, field)]
    assert len(done) > len(tried) / 2
    assert {"CatalogEntry.title", "CatalogEntry.tags", "PaymentOption.amount", "Venue.enabled"} <= set(done)


def test_the_topics_are_those_that_the_documentation_names() -> None:
    assert {PAIRS, VENUES, ASSETS, NETWORKS, ENTRIES, SELLERS, "payments.keys"} <= set(topics())


@pytest.mark.parametrize(
    ("model", "column", "value", "topic"),
    [
        (Pair, "decimals_shown", 2, PAIRS),
        (Pair, "minimum_volume", 5, PAIRS),
        (Pair, "row_version", 7, PAIRS),
        (Venue, "weight", 7, VENUES),
        (Network, "rpc_url", "http://127.0.0.1:9", NETWORKS),
        (Asset, "home_domain", "example.com", ASSETS),
        (CatalogEntry, "row_version", 7, ENTRIES),
        (CatalogEntry, "state_reason", "because", ENTRIES),
        (PaymentOption, "row_version", 7, ENTRIES),
        (Pair, "enabled", True, PAIRS),
    ],
)
def test_what_no_payload_shows_and_what_changes_nothing_moves_nothing(
    model: type[models.Model], column: str, value: Any, topic: str
) -> None:
    everything()
    before = generation((topic,))
    assert model._base_manager.update(**{column: value}) > 0
    assert generation((topic,)) == before


def test_an_option_moves_the_key_of_its_entry() -> None:
    first, second = make_entry(), make_entry()
    before = {entry.pk: generation((ENTRIES,), [str(entry.pk)]) for entry in (first, second)}
    first.options.update(amount=7)
    assert generation((ENTRIES,), [str(first.pk)]) != before[first.pk]
    assert generation((ENTRIES,), [str(second.pk)]) == before[second.pk]
