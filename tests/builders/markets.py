from __future__ import annotations

from typing import Any

from bazaar.markets.curation import create_market, create_pair, create_venue
from bazaar.models import Market, Pair, Venue
from tests.builders.networks import make_asset, make_network
from tests.builders.numbers import number


def make_pair(**over: Any) -> Pair:
    """An enabled pair of two new assets of one network."""
    network = over.pop("network", None) or make_network()
    values: dict[str, Any] = {
        "network": network,
        "asset_a": over.pop("asset_a", None) or make_asset(network=network),
        "asset_b": over.pop("asset_b", None) or make_asset(network=network),
    }
    return create_pair(values | over, by=None, reason="test")


def make_venue(**over: Any) -> Venue:
    """An enabled order book venue."""
    values: dict[str, Any] = {
        "network": over.pop("network", None) or make_network(),
        "key": f"venue-{number()}",
        "kind": "sdex",
        "source": "http://127.0.0.1:8004",
    }
    return create_venue(values | over, by=None, reason="test")


def make_market(**over: Any) -> Market:
    pair = over.pop("pair", None) or make_pair()
    venue = over.pop("venue", None) or make_venue(network=pair.network)
    return create_market({"pair": pair, "venue": venue} | over, by=None, reason="test")
