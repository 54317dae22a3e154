"""Catalogue entries as agents and programs read them: one shape for search results, one with all that is known.

Shown are listed entries of active sellers that can be paid now, that is, with an option whose asset and network are
enabled. Amounts are plain decimals of the asset (`0.05`); `accepts` has the same prices in units, as x402 asks.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from django.db.models import Exists, OuterRef, QuerySet

from bazaar.catalog.shapes import (
    Inspection,
    PaymentRequirements,
    Price,
    ResourceDetail,
    ResourceItem,
    SellerDetail,
    SellerItem,
)
from bazaar.models import CatalogEntry, Network, PaymentOption, Seller
from lensproject.core.amounts import Amount
from lensproject.core.clock import iso
from lensproject.core.errors import NotFound

X402_VERSION = 2
_PUBLIC_ID = re.compile(r"[A-Za-z0-9_-]{1,48}")


def listed(networks: Collection[Network]) -> QuerySet[CatalogEntry]:
    """The entries that are shown to whoever may use these networks, with their sellers."""
    payable = Exists(payable_options(networks).filter(entry=OuterRef("pk")))
    entries = CatalogEntry.objects.filter(payable, state=CatalogEntry.State.LISTED, seller__state=Seller.State.ACTIVE)
    return entries.select_related("seller")


def payable_options(networks: Collection[Network]) -> QuerySet[PaymentOption]:
    """The ways to pay in a listed asset of these networks, as far as they are enabled."""
    return PaymentOption.objects.filter(
        asset__enabled=True, asset__network__enabled=True, asset__network__in=[network.pk for network in networks]
    )


def resource_items(entries: Sequence[CatalogEntry], networks: Collection[Network]) -> list[ResourceItem]:
    """Entries as a search shows them, with their prices on these networks. One query."""
    options = _options_of(entries, networks)
    return [resource_item(entry, options.get(entry.pk, [])) for entry in entries]


def inspect(resource_id: str, networks: Collection[Network]) -> Inspection:
    """All that is known of a shown resource. Raises NotFound for any other, and says no more about it."""
    known = _PUBLIC_ID.fullmatch(resource_id) is not None
    entry = listed(networks).filter(public_id=resource_id).first() if known else None
    options = [] if entry is None else _options_of([entry], networks).get(entry.pk, [])
    if entry is None or not options:
        raise NotFound("No resource of this id is listed.", details={"resourceId": resource_id[:64]})
    return inspection(entry, options)


def inspection(entry: CatalogEntry, options: Sequence[PaymentOption]) -> Inspection:
    """All that is known of an entry with these ways to pay, at least one, the best first."""
    accepts = [payment_requirements(option) for option in options]
    return {
        "resource": resource_detail(entry, options),
        "x402Version": X402_VERSION,
        "paymentRequirements": accepts[0],
        "accepts": accepts,
        "inputSchema": entry.input_schema,
        "outputSchema": entry.output_schema,
        "seller": seller_detail(entry.seller),
    }


def resource_item(entry: CatalogEntry, options: Iterable[PaymentOption]) -> ResourceItem:
    return {
        "id": entry.public_id,
        "kind": entry.kind,
        "method": entry.method or None,
        "url": entry.url,
        "tool": entry.tool or None,
        "title": entry.title,
        "description": entry.description,
        "tags": entry.tags,
        "category": entry.category or None,
        "serviceName": entry.service_name or None,
        "iconUrl": entry.icon_url or None,
        "seller": seller_item(entry.seller),
        "prices": [price(option) for option in options],
    }


def resource_detail(entry: CatalogEntry, options: Iterable[PaymentOption]) -> ResourceDetail:
    return {
        **resource_item(entry, options),
        "origin": entry.origin,
        "route": entry.route,
        "pathParameters": re.findall(r"/:([A-Za-z_][A-Za-z0-9_]*)", entry.route),
        "example": entry.example,
        "provenance": entry.provenance,
    }


def seller_item(seller: Seller) -> SellerItem:
    return {
        "id": seller.public_id,
        "name": seller.name,
        "domain": seller.domain or None,
        "domainVerified": seller.domain_verified_at is not None,
    }


def seller_detail(seller: Seller) -> SellerDetail:
    verified_at = seller.domain_verified_at
    return {**seller_item(seller), "domainVerifiedAt": None if verified_at is None else iso(verified_at)}


def price(option: PaymentOption) -> Price:
    asset = option.asset
    return {
        "scheme": option.scheme,
        "network": asset.network.name,
        "asset": asset.code,
        "issuer": asset.issuer or None,
        "contract": asset.contract,
        "amount": Amount(option.amount, asset.decimals).short(),
    }


def payment_requirements(option: PaymentOption) -> PaymentRequirements:
    requirements: PaymentRequirements = {
        "scheme": option.scheme,
        "network": option.asset.network.name,
        "amount": str(option.amount),
        "asset": option.asset.contract,
        "payTo": option.pay_to,
        "maxTimeoutSeconds": option.max_timeout_seconds,
    }
    if option.extra:
        requirements["extra"] = option.extra
    return requirements


def _options_of(entries: Iterable[CatalogEntry], networks: Collection[Network]) -> dict[int, list[PaymentOption]]:
    """The payable options by entry, the best first: on the default network, then by network, asset and price."""
    found: dict[int, list[PaymentOption]] = {}
    options = payable_options(networks).filter(entry__in=entries).select_related("asset__network")
    for option in sorted(options, key=_preference):
        found.setdefault(option.entry_id, []).append(option)
    return found


def _preference(option: PaymentOption) -> tuple[bool, str, str, int, int]:
    asset = option.asset
    return not asset.network.is_default, asset.network.name, asset.code, option.amount, option.pk
