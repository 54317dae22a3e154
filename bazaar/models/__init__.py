from __future__ import annotations

from bazaar.models.catalog import CatalogEntry, PaymentOption
from bazaar.models.markets import Market, Pair, Venue
from bazaar.models.networks import Asset, Network
from bazaar.models.sellers import Seller, SellerAddress

__all__ = [
    "Asset",
    "CatalogEntry",
    "Market",
    "Network",
    "Pair",
    "PaymentOption",
    "Seller",
    "SellerAddress",
    "Venue",
]
