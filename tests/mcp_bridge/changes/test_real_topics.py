"""The topics of this platform: every way in which its own code writes their rows is seen."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import models

from bazaar.models import Asset, CatalogEntry, Network, Pair, PaymentOption, Seller, Venue
from lensproject.core import curation, triggers
from mcp_bridge import changes
from mcp_bridge.changes import Sweep
from tests.databases import Database

ISSUER = "GBUQWP3BOUZX34TOND2QV7QQ7K7VJTG6VSE7WMLBTMDJLLAWAAAAAAAA"
TOPICS = ("bazaar.assets", "bazaar.entry", "bazaar.networks", "lens.pairs", "lens.venues", "payments.keys")


@pytest.fixture
def rows(cloned_database: Database) -> dict[str, models.Model]:
    """A network with two assets, a pair of them, a venue, and an entry with one option."""
    network = Network.objects.create(name="stellar:local", passphrase="x")
    native = Asset.objects.create(network=network, kind="native", code="XLM", contract="C1")
    token = Asset.objects.create(network=network, kind="contract", code="USDC", contract="C2")
    seller = Seller.objects.create(name="Weather")
    entry = CatalogEntry.objects.create(
        seller=seller, method="GET", origin="https://weather.example", route="/now", title="Weather"
    )
    return {
        "network": network,
        "asset": token,
        "pair": Pair.objects.create(network=network, key="XLM/USDC", asset_a=native, asset_b=token),
        "venue": Venue.objects.create(network=network, key="sdex", kind="sdex", source="https://horizon.example"),
        "entry": entry,
        "option": PaymentOption.objects.create(entry=entry, asset=token, amount=5, pay_to=ISSUER),
    }


@pytest.mark.django_db
def test_every_topic_that_a_resource_rests_on_is_tracked_and_its_triggers_are_in_place() -> None:
    assert set(TOPICS) <= set(changes.topics())
    assert triggers.verify() == ()


@pytest.mark.django_db
def test_every_topic_has_a_last_modified_from_the_first_migrate_on() -> None:
    assert [topic for topic in changes.topics() if changes.generation([topic]).last_modified is None] == []


CHANGES: dict[str, tuple[str, Callable[[models.Model], object], set[tuple[str, str]]]] = {
    "a network by update()": (
        "network",
        lambda row: Network.objects.update(enabled=True),
        {("bazaar.networks", "stellar:local")},
    ),
    "a pair by update()": ("pair", lambda row: Pair.objects.update(enabled=False), {("lens.pairs", "XLM/USDC")}),
    "a venue by save()": ("venue", lambda row: _save(row, enabled=False), {("lens.venues", "sdex")}),
    "a venue's weight": ("venue", lambda row: Venue.objects.update(weight=50), set()),
    "an asset": ("asset", lambda row: Asset.objects.filter(pk=row.pk).update(enabled=False), {("bazaar.assets", "PK")}),
    "an option is of its entry": (
        "entry",
        lambda row: PaymentOption.objects.update(amount=6),
        {("bazaar.entry", "PK")},
    ),
    "a cascade by Django": ("entry", lambda row: row.delete(), {("bazaar.entry", "PK")}),
}


@pytest.mark.parametrize("way", CHANGES)
def test_a_write_moves_the_topic_of_its_row(way: str, rows: dict[str, models.Model]) -> None:
    name, write, expected = CHANGES[way]
    row = rows[name]
    pk = str(row.pk)
    sweep = Sweep()
    sweep.changed()
    write(row)
    assert sweep.changed() == {(topic, pk if key == "PK" else key) for topic, key in expected}


def test_a_revision_moves_its_row_and_a_revision_that_changes_nothing_moves_none(rows: dict[str, models.Model]) -> None:
    pair = rows["pair"]
    assert isinstance(pair, Pair)
    sweep = Sweep()
    sweep.changed()
    curation.revise(pair, {"enabled": True}, row_version=1, by=None, reason="the same")
    assert sweep.changed() == set()
    curation.revise(pair, {"decimals_shown": 3}, row_version=1, by=None, reason="no payload shows it")
    assert sweep.changed() == set()
    curation.revise(pair, {"enabled": False}, row_version=2, by=None, reason="quiet")
    assert sweep.changed() == {("lens.pairs", "XLM/USDC")}


def _save(row: models.Model, **values: object) -> None:
    for name, value in values.items():
        setattr(row, name, value)
    row.save()
