"""Pairs, venues and markets: made and changed by operators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ValidationError

from bazaar.models import Asset, Market, Pair, Venue
from lensproject.core import curation

if TYPE_CHECKING:
    from django.contrib.auth.models import User

PAIR_IDENTITY = ("network", "asset_a", "asset_b", "key")


def pair_key(asset_a: Asset, asset_b: Asset) -> str:
    """`ASSET_A/ASSET_B`, each `XLM`, `CODE:ISSUER` or a contract's address, in the order given."""
    return f"{asset_a.canonical}/{asset_b.canonical}"


def create_pair(values: Mapping[str, Any], *, by: User | None, reason: str) -> Pair:
    """A new pair of two assets of one network; its key is made here."""
    pair = Pair(**values)
    for name in ("asset_a", "asset_b"):
        if getattr(pair, name).network_id != pair.network_id:
            raise ValidationError({name: f"This asset is not on {pair.network.name}."})
    pair.key = pair_key(pair.asset_a, pair.asset_b)
    return curation.create(pair, by=by, reason=reason)


def revise_pair(pair: Pair, changes: Mapping[str, Any], *, row_version: int, by: User | None, reason: str) -> Pair:
    """Enable, disable or tune a pair. Its network and assets stay: prices are stored under its key."""
    _refuse_moved(pair, changes, PAIR_IDENTITY, "A pair keeps its assets; disable it and make another one.")
    return curation.revise(pair, changes, row_version=row_version, by=by, reason=reason)


def create_venue(values: Mapping[str, Any], *, by: User | None, reason: str) -> Venue:
    """A new venue on a network."""
    return curation.create(Venue(**values), by=by, reason=reason)


def revise_venue(venue: Venue, changes: Mapping[str, Any], *, row_version: int, by: User | None, reason: str) -> Venue:
    """Enable, disable or tune a venue. It stays on its network."""
    _refuse_moved(venue, changes, ("network",), "A venue stays on its network; make another one.")
    return curation.revise(venue, changes, row_version=row_version, by=by, reason=reason)


def create_market(values: Mapping[str, Any], *, by: User | None, reason: str) -> Market:
    """A pair on a venue of the same network."""
    market = Market(**values)
    if market.pair.network_id != market.venue.network_id:
        raise ValidationError({"venue": f"This venue is not on {market.pair.network.name}."})
    return curation.create(market, by=by, reason=reason)


def revise_market(
    market: Market, changes: Mapping[str, Any], *, row_version: int, by: User | None, reason: str
) -> Market:
    """Enable or disable a market, or correct its place. It stays with its pair and venue."""
    _refuse_moved(market, changes, ("pair", "venue"), "A market keeps its pair and venue; make another one.")
    return curation.revise(market, changes, row_version=row_version, by=by, reason=reason)


def _refuse_moved(row: Any, changes: Mapping[str, Any], fixed: tuple[str, ...], message: str) -> None:
    moved = [name for name in fixed if name in changes and changes[name] != getattr(row, name)]
    if moved:
        raise ValidationError(dict.fromkeys(moved, message))
