"""Each constraint and guard of the catalogue's and the markets' tables, shown refusing by the database itself."""

from __future__ import annotations

from typing import Any

import pytest
from django.db.models import ProtectedError

from bazaar.models import Asset, CatalogEntry, Market, Network, Pair, Venue
from lensproject.core import clock
from tests.builders import (
    make_asset,
    make_entry,
    make_market,
    make_network,
    make_option,
    make_pair,
    make_seller,
    make_seller_address,
    make_venue,
)
from tests.constraints import Case, assert_refused, beside, like, names_to_refuse, over


def two_networks() -> Network:
    make_network("stellar:local")
    return make_network("stellar:testnet")


def proved_sellers(name: str = "one.example") -> Any:
    make_seller(domain=name, domain_verified_at=clock.now())
    return make_seller(domain="two.example", domain_verified_at=clock.now())


def options_of_one_entry() -> Any:
    first = make_option()
    return make_option(entry=first.entry, asset=first.asset)


def pair_beside_another_network() -> Pair:
    make_asset(network=make_network("stellar:testnet"))
    return make_pair()


def asset_elsewhere(_: Any) -> dict[str, Any]:
    return {"key": "A/B", "asset_b_id": Asset.objects.get(network__name="stellar:testnet").pk}


def market_beside_another_network() -> Market:
    make_venue(network=make_network("stellar:testnet"), key="elsewhere")
    return make_market()


def venue_elsewhere(market: Any) -> dict[str, Any]:
    return {"venue": Venue.objects.get(key="elsewhere").pk}


def markets_of_one_pair() -> Market:
    first = make_market()
    return make_market(pair=first.pair, venue=first.venue, place="pool")


def turned_round(pair: Any) -> dict[str, Any]:
    return {"key": "TURNED/ROUND", "asset_a_id": pair.asset_b_id, "asset_b_id": pair.asset_a_id}


CASES: dict[str, Case] = {
    "network_name_known": over(make_network, name="stellar:futurenet"),
    "network_passphrase_given": over(make_network, passphrase=""),
    "network_one_default": over(two_networks, is_default=True),
    "network_default_enabled": over(make_network, enabled=False, is_default=True),
    "asset_decimals_0_to_12": beside(make_asset, decimals=13),
    "asset_code_and_contract_given": beside(make_asset, contract=""),
    "asset_parts_fit_kind": beside(make_asset, issuer=""),
    "asset_contract_once": beside(make_asset),
    "asset_identity_fixed": over(make_asset, decimals=6),
    "seller_name_given": over(make_seller, name=""),
    "seller_state_known": over(make_seller, state="asleep"),
    "seller_verified_domain_once": over(proved_sellers, domain="ONE.example"),
    "seller_verified_domain_given": over(make_seller, domain="", domain_verified_at=clock.now()),
    "seller_address_once": like(make_seller_address, "address", "network_id"),
    "seller_address_given": over(make_seller_address, address=""),
    "entry_key_once": like(make_entry, "method", "origin", "route", "tool"),
    "entry_parts_fit_kind": over(make_entry, kind="mcp"),
    "entry_title_given": over(make_entry, title=""),
    "entry_origin_is_http": over(make_entry, origin="ftp://host.example"),
    "entry_route_begins_with_slash": over(make_entry, route="weather"),
    "entry_state_known": over(make_entry, state="sold"),
    "entry_delisted_with_reason": over(make_entry, state="delisted", state_reason=""),
    "entry_provenance_known": over(make_entry, provenance="rumour"),
    "option_amount_positive": over(make_option, amount=0),
    "option_scheme_known": over(make_option, scheme="upto"),
    "option_pay_to_given": over(make_option, pay_to=""),
    "option_timeout_within_a_day": over(make_option, max_timeout_seconds=86_401),
    "option_once": Case(options_of_one_entry, lambda option: {"pay_to": _other(option).pay_to}),
    "pair_key_once": Case(make_pair, lambda pair: {"asset_a_id": make_asset().pk}, inserting=True),
    "pair_of_two_assets": Case(
        make_pair, lambda pair: {"key": "SAME/SAME", "asset_b_id": pair.asset_a_id}, inserting=True
    ),
    "pair_once_in_either_order": Case(make_pair, turned_round, inserting=True),
    "pair_key_given": beside(make_pair, key=""),
    "pair_decimals_shown_0_to_18": over(make_pair, decimals_shown=19),
    "pair_staleness_limit_positive": over(make_pair, staleness_limit_seconds=0),
    "pair_divergence_limit_1_to_10000": over(make_pair, divergence_limit_bps=10_001),
    "pair_minimum_volume_not_negative": over(make_pair, minimum_volume=-1),
    "pair_identity_fixed": over(make_pair, key="XLM/OTHER"),
    "pair_assets_on_its_network": Case(pair_beside_another_network, asset_elsewhere, inserting=True),
    "venue_key_once": like(make_venue, "key", "network_id"),
    "venue_key_and_source_given": over(make_venue, source=""),
    "venue_kind_known": over(make_venue, kind="bank"),
    "venue_weight_0_to_1000": over(make_venue, weight=1001),
    "venue_network_fixed": Case(lambda: _venue_beside(), lambda _: {"network": _network("stellar:testnet")}),
    "market_once": Case(markets_of_one_pair, lambda _: {"place": ""}),
    "market_venue_on_network_of_pair": Case(market_beside_another_network, venue_elsewhere),
}


def _other(row: Any) -> Any:
    return type(row).objects.exclude(pk=row.pk).get()


def _network(name: str) -> int:
    return Network.objects.get(name=name).pk


def _venue_beside() -> Any:
    make_network("stellar:testnet")
    return make_venue(network=make_network("stellar:local"))


def test_every_constraint_and_guard_has_a_case() -> None:
    assert set(CASES) == names_to_refuse("bazaar")


@pytest.mark.django_db
@pytest.mark.parametrize("name", sorted(CASES))
def test_the_database_refuses(name: str) -> None:
    assert_refused(name, CASES[name])


@pytest.mark.django_db
def test_deleting_a_seller_with_entries_is_refused() -> None:
    entry = make_entry()
    with pytest.raises(ProtectedError):
        entry.seller.delete()
    assert CatalogEntry.objects.filter(pk=entry.pk).exists()
