"""What Lens is to quote: one pair, and the two venues that every Stellar network has."""

from __future__ import annotations

from bazaar.markets.curation import create_market, create_pair, create_venue
from bazaar.models import Market, Network, Pair, Venue
from lensproject.management.demo.seeding.catalogue import Assets
from lensproject.management.demo.seeding.once import REASON, Once

ORDER_BOOK = {"key": "sdex", "kind": "sdex", "source": "order book of stellar:local", "enabled": True}
POOLS = {"key": "pools", "kind": "pools", "source": "liquidity pools of stellar:local", "enabled": False}


def quoted(once: Once, network: Network, assets: Assets) -> None:
    book = _venue(once, network, ORDER_BOOK)
    _venue(once, network, POOLS)
    pair = _pair(once, network, assets)
    if book is not None and pair is not None:
        values = {"pair": pair, "venue": book}
        once.row(Market, lambda: create_market(values, by=None, reason=REASON), **values)


def _venue(once: Once, network: Network, values: dict[str, object]) -> Venue | None:
    def make() -> Venue:
        return create_venue({"network": network} | values, by=None, reason=REASON)

    return once.row(Venue, make, network=network, key=values["key"])


def _pair(once: Once, network: Network, assets: Assets) -> Pair | None:
    """Lumens in dollars, unless somebody already has that pair in either order."""
    native, usdc = assets.native, assets.usdc
    if native is None or usdc is None or Pair.objects.filter(asset_a=usdc, asset_b=native).exists():
        return None
    values = {"network": network, "asset_a": native, "asset_b": usdc}
    return once.row(Pair, lambda: create_pair(values, by=None, reason=REASON), **values)
