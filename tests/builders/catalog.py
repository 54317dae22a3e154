from __future__ import annotations

from typing import Any

from bazaar.catalog.entries import create_entry, create_option
from bazaar.catalog.sellers import create_address, create_seller
from bazaar.models import CatalogEntry, PaymentOption, Seller, SellerAddress
from tests.builders.networks import make_asset, make_network
from tests.builders.numbers import account, number


def make_seller(**over: Any) -> Seller:
    """An active seller whose domain nobody has proved."""
    seed = number()
    values = {"name": f"Seller {seed}", "domain": f"seller{seed}.example"}
    return create_seller(values | over, by=None, reason="test")


def make_seller_address(**over: Any) -> SellerAddress:
    values: dict[str, Any] = {
        "seller": over.pop("seller", None) or make_seller(),
        "network": over.pop("network", None) or make_network(),
        "address": account(number()),
    }
    return create_address(values | over, by=None, reason="test")


def make_entry(*, priced: bool = True, **over: Any) -> CatalogEntry:
    """A listed HTTP entry with one way to pay (`priced=False`: with none)."""
    seed = number()
    values: dict[str, Any] = {
        "seller": over.pop("seller", None) or make_seller(),
        "kind": "http",
        "method": "GET",
        "origin": f"https://api{seed}.example",
        "route": "/weather/:city",
        "title": f"Weather {seed}",
        "description": "Current weather of a city.",
        "tags": ["weather"],
        "state": "listed",
    }
    asset = over.pop("asset", None)
    entry = create_entry(values | over, by=None, reason="test")
    if priced:
        make_option(entry=entry, asset=asset)
        entry.refresh_from_db()
    return entry


def make_option(**over: Any) -> PaymentOption:
    """A price of half a unit of an asset with seven decimals."""
    values: dict[str, Any] = {
        "entry": over.pop("entry", None) or make_entry(priced=False),
        "asset": over.pop("asset", None) or make_asset(),
        "amount": 5_000_000,
        "pay_to": account(number()),
    }
    return create_option(values | over, by=None, reason="test")
