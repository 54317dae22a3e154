from __future__ import annotations

import json

import pytest
from pytest_django import DjangoAssertNumQueries

from bazaar.markets.listing import pair_list, venue_list
from bazaar.models import Network, Pair, Venue
from tests.builders import make_asset, make_network, make_pair, make_venue
from tests.builders.numbers import contract

pytestmark = pytest.mark.django_db


def test_pairs_have_the_shape_of_the_resource() -> None:
    lumens, dollars = make_asset(kind="native"), make_asset("USDC")
    make_pair(asset_a=lumens, asset_b=dollars)
    name = f"USDC:{dollars.issuer}"
    assert pair_list() == {
        "network": "stellar:local",
        "pairs": [{"pairKey": f"XLM/{name}", "assetA": "XLM", "assetB": name}],
    }


def test_a_contract_token_is_named_by_its_address() -> None:
    lumens, token = make_asset(kind="native"), make_asset("TOK", kind="contract", contract=contract(1))
    make_pair(asset_a=lumens, asset_b=token)
    assert [pair["assetB"] for pair in pair_list()["pairs"]] == [contract(1)]


def test_pairs_come_in_order_of_their_keys_whatever_their_age() -> None:
    assets = {code: make_asset(code) for code in ("ZED", "MID", "ABC")}
    for code in ("ZED", "ABC", "MID"):
        make_pair(asset_a=assets[code], asset_b=make_asset())
    assert [pair["pairKey"][:3] for pair in pair_list()["pairs"]] == ["ABC", "MID", "ZED"]


def test_the_order_of_texts_is_that_of_bytes_on_every_database() -> None:
    for code in ("b", "B", "a"):
        make_pair(asset_a=make_asset(code), asset_b=make_asset())
    assert [pair["pairKey"][0] for pair in pair_list()["pairs"]] == ["B", "a", "b"]


def test_only_enabled_pairs_of_the_default_network_are_quoted() -> None:
    shown = make_pair()
    make_pair(enabled=False)
    make_pair(network=make_network("stellar:testnet"))
    assert [pair["pairKey"] for pair in pair_list()["pairs"]] == [shown.key]


def test_a_pair_is_quoted_whether_or_not_its_assets_are_listed_for_payments() -> None:
    pair = make_pair()
    type(pair.asset_a).objects.update(enabled=False)
    assert [item["pairKey"] for item in pair_list()["pairs"]] == [pair.key]


def test_the_number_of_queries_does_not_grow_with_the_pairs(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    for _ in range(5):
        make_pair()
    with django_assert_num_queries(2):  # the network, the pairs with their assets
        assert len(pair_list()["pairs"]) == 5


def test_the_same_rows_give_the_same_bytes() -> None:
    for _ in range(3):
        make_pair()
    first = json.dumps(pair_list())
    Pair.objects.update(decimals_shown=3, row_version=9)
    assert json.dumps(pair_list()) == first


def test_venues_have_the_shape_of_the_resource() -> None:
    make_venue(key="soroswap", kind="soroswap", source=contract(2), enabled=False)
    make_venue(key="sdex", source="https://horizon.example/order_book")
    assert venue_list() == {
        "network": "stellar:local",
        "venues": [
            {"key": "sdex", "source": "https://horizon.example/order_book", "enabled": True},
            {"key": "soroswap", "source": contract(2), "enabled": False},
        ],
    }


def test_venues_of_other_networks_are_not_shown() -> None:
    make_venue(network=make_network(), key="here")
    make_venue(network=make_network("stellar:testnet"), key="there")
    assert [venue["key"] for venue in venue_list()["venues"]] == ["here"]


def test_no_password_of_a_source_is_shown() -> None:
    make_venue(key="sdex")
    Venue.objects.update(source="https://user:hunter2@horizon.example/books?apikey=hunter3#hunter4")
    assert venue_list()["venues"][0]["source"] == "https://horizon.example/books"


def test_without_a_default_network_the_answer_says_so() -> None:
    make_pair()
    make_venue()
    Network.objects.update(is_default=False)
    assert pair_list() == {"network": None, "pairs": []}
    assert venue_list() == {"network": None, "venues": []}
