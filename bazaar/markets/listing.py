"""The pairs and venues of the default network, in the shapes that MCP clients and REST programs both get.

Built from rows alone and in a fixed order, so that the same rows always give the same bytes. Which rows those are is
declared to the change log in `bazaar.mcp.tracked`.
"""

from __future__ import annotations

from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from bazaar.markets.shown_urls import without_secrets
from bazaar.models import Network, Pair, Venue


class PairItem(TypedDict):
    """`pairKey` is `ASSET_A/ASSET_B`; an asset is `XLM`, `CODE:ISSUER`, or a contract's address."""

    pairKey: str
    assetA: str
    assetB: str


class PairList(TypedDict):
    """`network` is null, and the list empty, while no network is the default."""

    network: str | None
    pairs: list[PairItem]


class VenueItem(TypedDict):
    """`source` is the URL or the contract that is read there; `enabled` says whether it is read."""

    key: str
    source: str
    enabled: bool


class VenueList(TypedDict):
    """`network` is null, and the list empty, while no network is the default."""

    network: str | None
    venues: list[VenueItem]


def default_network() -> Network | None:
    """The network that `lens://` speaks of, or None while none is marked."""
    return Network.objects.filter(is_default=True).first()


def pair_list() -> PairList:
    """The pairs that are quoted on the default network, by key."""
    network = default_network()
    if network is None:
        return {"network": None, "pairs": []}
    pairs = network.pairs.filter(enabled=True).select_related("asset_a", "asset_b")
    # Sorted here, because databases disagree about the order of texts and the bytes must not.
    return {"network": network.name, "pairs": [pair_item(pair) for pair in sorted(pairs, key=lambda pair: pair.key)]}


def pair_item(pair: Pair) -> PairItem:
    """One pair, with its assets loaded."""
    return {"pairKey": pair.key, "assetA": pair.asset_a.canonical, "assetB": pair.asset_b.canonical}


def venue_list() -> VenueList:
    """The venues of the default network, by key, switched off ones too."""
    network = default_network()
    if network is None:
        return {"network": None, "venues": []}
    venues = sorted(network.venues.all(), key=lambda venue: venue.key)
    return {"network": network.name, "venues": [venue_item(venue) for venue in venues]}


def venue_item(venue: Venue) -> VenueItem:
    return {"key": venue.key, "source": without_secrets(venue.source), "enabled": venue.enabled}
