"""Pairs, venues and markets keep what prices are stored under."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import ValidationError

from bazaar.markets.curation import create_market, create_pair, revise_market, revise_pair, revise_venue
from bazaar.models import Market, Pair
from lensproject.core.errors import StaleVersion
from tests.builders import make_asset, make_market, make_network, make_pair, make_venue

pytestmark = pytest.mark.django_db
WHY: dict[str, Any] = {"by": None, "reason": "test"}


def test_the_key_is_made_of_the_assets_names_in_the_order_given() -> None:
    usdc, xlm = make_asset("USDC"), make_asset(kind="native")
    assert make_pair(asset_a=usdc, asset_b=xlm).key == f"USDC:{usdc.issuer}/XLM"


def test_a_pair_is_there_once_in_either_order() -> None:
    pair = make_pair()
    turned = {"network": pair.network, "asset_a": pair.asset_b, "asset_b": pair.asset_a}
    with pytest.raises(ValidationError, match="other order"):
        create_pair(turned, **WHY)
    assert Pair.objects.count() == 1


def test_both_assets_are_on_the_pairs_network() -> None:
    elsewhere = make_asset(network=make_network("stellar:testnet"))
    values = {"network": make_network(), "asset_a": make_asset(), "asset_b": elsewhere}
    with pytest.raises(ValidationError) as refusal:
        create_pair(values, **WHY)
    assert refusal.value.message_dict == {"asset_b": ["This asset is not on stellar:local."]}


def test_a_pair_of_one_asset_is_refused() -> None:
    asset = make_asset()
    with pytest.raises(ValidationError, match="two different assets"):
        create_pair({"network": asset.network, "asset_a": asset, "asset_b": asset}, **WHY)


@pytest.mark.parametrize(
    "changes",
    [
        {"minimum_volume": -1},
        {"decimals_shown": 19},
        {"divergence_limit_bps": 0},
        {"divergence_limit_bps": 10_001},
        {"staleness_limit_seconds": 0},
    ],
)
def test_limits_out_of_range_are_refused(changes: dict[str, Any]) -> None:
    pair = make_pair()
    with pytest.raises(ValidationError):
        revise_pair(pair, changes, row_version=1, **WHY)
    assert Pair.objects.get(pk=pair.pk).row_version == 1


def test_a_pair_keeps_its_assets_and_is_disabled() -> None:
    pair = make_pair()
    with pytest.raises(ValidationError, match="keeps its assets"):
        revise_pair(pair, {"asset_a": make_asset()}, row_version=1, **WHY)
    assert revise_pair(pair, {"enabled": False}, row_version=1, **WHY).enabled is False
    with pytest.raises(StaleVersion):
        revise_pair(pair, {"enabled": False}, row_version=1, **WHY)


def test_a_venue_stays_on_its_network() -> None:
    venue = make_venue()
    with pytest.raises(ValidationError, match="stays on its network"):
        revise_venue(venue, {"network": make_network("stellar:testnet")}, row_version=1, **WHY)
    assert revise_venue(venue, {"weight": 50}, row_version=1, **WHY).weight == 50


def test_a_market_is_on_the_network_of_its_pair() -> None:
    venue = make_venue(network=make_network("stellar:testnet"))
    with pytest.raises(ValidationError, match="not on stellar:local"):
        create_market({"pair": make_pair(), "venue": venue}, **WHY)
    assert not Market.objects.exists()


def test_a_market_keeps_its_pair() -> None:
    market = make_market()
    with pytest.raises(ValidationError, match="keeps its pair"):
        revise_market(market, {"pair": make_pair()}, row_version=1, **WHY)
    assert revise_market(market, {"enabled": False}, row_version=1, **WHY).enabled is False
