"""What the demo seller is told by its SELLER_… variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Configuration:
    """`price` is a plain decimal of the asset, `base_url` where others reach the seller (None: as they ask)."""

    network: str
    asset: str
    pay_to: str
    facilitator: str
    price: str
    seconds: int
    base_url: str | None


def configuration(environ: Mapping[str, str]) -> Configuration:
    """Raises SystemExit that names what is missing."""
    needed = ("SELLER_NETWORK", "SELLER_ASSET", "SELLER_PAY_TO", "SELLER_FACILITATOR")
    missing = [name for name in needed if not environ.get(name)]
    if missing:
        raise SystemExit(f"Not set: {', '.join(missing)}. The seller does not know what to ask for.")
    network, asset, pay_to, facilitator = (environ[name] for name in needed)
    return Configuration(
        network=network,
        asset=asset,
        pay_to=pay_to,
        facilitator=facilitator,
        price=environ.get("SELLER_PRICE") or "0.05",
        seconds=int(environ.get("SELLER_SECONDS") or "60"),
        base_url=environ.get("SELLER_BASE_URL") or None,
    )
