"""The local network with two assets, and a seller who lists one resource."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bazaar.catalog.assets import create_asset
from bazaar.catalog.entries import create_entry, create_option
from bazaar.catalog.networks import create_network
from bazaar.catalog.sellers import create_address, create_seller
from bazaar.models import Asset, CatalogEntry, Network, PaymentOption, Seller, SellerAddress
from lensproject.core.stellar.keypairs import account_of_seed
from lensproject.local_secrets import local_secret
from lensproject.management.demo.ledger import Ledger
from lensproject.management.demo.seeding.once import REASON, Once

PASSPHRASE = "Standalone Network ; February 2017"  # noqa: S105 - public, the same for every local network
SELLER = "Demo Weather"
ORIGIN = "https://api.weather.example"
ROUTE = "/weather/:city"
PRICE_UNITS = 500_000
"""0.05 of an asset with seven decimals."""

ENTRY: dict[str, Any] = {
    "kind": "http",
    "method": "GET",
    "origin": ORIGIN,
    "route": ROUTE,
    "title": "Current weather of a city",
    "description": "Temperature, wind and sky of a city at this moment.",
    "tags": ["weather", "forecast"],
    "category": "data",
    "service_name": SELLER,
    "input_schema": {
        "type": "object",
        "properties": {"city": {"type": "string", "minLength": 1, "description": "Name of the city, such as Berlin."}},
        "required": ["city"],
        "additionalProperties": False,
    },
    "output_schema": {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "temperatureCelsius": {"type": "number"},
            "windMetresPerSecond": {"type": "number"},
            "sky": {"type": "string", "enum": ["clear", "cloudy", "rain", "snow"]},
        },
        "required": ["city", "temperatureCelsius", "sky"],
    },
    "example": {"input": {"city": "Berlin"}, "output": {"city": "Berlin", "temperatureCelsius": 4.5, "sky": "cloudy"}},
    "state": "listed",
}


@dataclass(frozen=True)
class Assets:
    """Lumens and a dollar of the demo's own; None is what an operator removed."""

    native: Asset | None
    usdc: Asset | None


def network(once: Once) -> Network | None:
    """The local network, enabled; the default one unless there is one already."""
    name = Network.Name.LOCAL

    def make() -> Network:
        first = not Network.objects.filter(is_default=True).exists()
        values = {"name": name, "passphrase": PASSPHRASE, "enabled": True, "is_default": first}
        return create_network(values, by=None, reason=REASON)

    return once.row(Network, make, name=name)


def assets(once: Once, network: Network, keys: Path, ledger: Ledger | None = None) -> Assets:
    """The dollar is the ledger's where one runs, and else of an issuer that is nowhere yet."""
    issuer = ledger.issuer if ledger else demo_account(keys, "issuer")

    def make_native() -> Asset:
        return create_asset({"network": network, "kind": "native"}, by=None, reason=REASON)

    def make_usdc() -> Asset:
        values = {"network": network, "kind": "classic", "code": "USDC", "issuer": issuer}
        return create_asset(values, by=None, reason=REASON)

    native = once.row(Asset, make_native, network=network, kind="native")
    return Assets(native, once.row(Asset, make_usdc, network=network, code="USDC", issuer=issuer))


def entry(once: Once, network: Network, usdc: Asset | None, keys: Path) -> None:
    """The seller with its address, and the entry with its price."""
    seller = once.row(Seller, lambda: create_seller({"name": SELLER}, by=None, reason=REASON), name=SELLER)
    if seller is None or usdc is None:
        return
    pay_to = demo_account(keys, "seller")

    def make_address() -> SellerAddress:
        return create_address({"seller": seller, "network": network, "address": pay_to}, by=None, reason=REASON)

    def make_entry() -> CatalogEntry:
        entry = create_entry({"seller": seller} | ENTRY, by=None, reason=REASON)
        price = {"entry": entry, "asset": usdc, "amount": PRICE_UNITS, "pay_to": pay_to}
        once.row(PaymentOption, lambda: create_option(price, by=None, reason=REASON), entry=entry)
        return entry

    once.row(SellerAddress, make_address, seller=seller, network=network)
    once.row(CatalogEntry, make_entry, method="GET", origin=ORIGIN, route=ROUTE)


def demo_account(keys: Path, name: str) -> str:
    """The account of the demo's issuer or seller. Its seed is a file like the other keys, and in no database."""
    return account_of_seed(bytes.fromhex(local_secret(keys, f"demo_{name}_seed")))
