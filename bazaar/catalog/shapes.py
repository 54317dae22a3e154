"""The shapes in which catalogue entries go to agents (MCP) and programs (REST). A name never changes its meaning."""

from __future__ import annotations

from typing import Any, NotRequired

# pydantic reads these shapes into schemas, and needs this one before Python 3.12.
from typing_extensions import TypedDict


class Price(TypedDict):
    """One way to pay. `amount` is a plain decimal of the asset, `asset` its code, `contract` its token contract."""

    scheme: str
    network: str
    asset: str
    issuer: str | None
    contract: str
    amount: str


class SellerItem(TypedDict):
    """`domainVerified` is true only when the seller has proved its domain."""

    id: str
    name: str
    domain: str | None
    domainVerified: bool


class SellerDetail(SellerItem):
    domainVerifiedAt: str | None


class ResourceItem(TypedDict):
    """What a search shows. `url` has `:name` where the caller fills in. HTTP has a `method`, MCP a `tool`."""

    id: str
    kind: str
    method: str | None
    url: str
    tool: str | None
    title: str
    description: str
    tags: list[str]
    category: str | None
    serviceName: str | None
    iconUrl: str | None
    seller: SellerItem
    prices: list[Price]


class ResourceDetail(ResourceItem):
    """What an inspection adds: the parts of the URL, an example, and how the entry came into the catalogue."""

    origin: str
    route: str
    pathParameters: list[str]
    example: Any
    provenance: str


class PaymentRequirements(TypedDict):
    """x402 v2, PaymentRequirements: `amount` in units, `asset` the token contract; an empty `extra` is left out."""

    scheme: str
    network: str
    amount: str
    asset: str
    payTo: str
    maxTimeoutSeconds: int
    extra: NotRequired[dict[str, Any]]


class Inspection(TypedDict):
    """All that is known of a resource before it is paid. `paymentRequirements` is the first of `accepts`."""

    resource: ResourceDetail
    x402Version: int
    paymentRequirements: PaymentRequirements
    accepts: list[PaymentRequirements]
    inputSchema: dict[str, Any]
    outputSchema: dict[str, Any]
    seller: SellerDetail
