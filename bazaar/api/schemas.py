"""The shapes of the REST door, as its OpenAPI document names them: those of `bazaar.catalog.shapes` and its neighbours.

Amounts are text, never numbers.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from lensproject.core.rest.schemas import Closed

NETWORK = Field(description="CAIP-2 name.", examples=["stellar:testnet"])
NEXT_CURSOR = Field(description="Send it as `cursor` for the next page; null on the last one.", examples=[None])
USDC = "USDC:GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5"
USDC_CONTRACT = "CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA"


class Price(Closed):
    """One way to pay for a resource."""

    scheme: str = Field(examples=["exact"])
    network: str = NETWORK
    asset: str = Field(description="The asset's code.", examples=["USDC"])
    issuer: str | None = Field(description="Null for lumens and contract tokens.", examples=[USDC.partition(":")[2]])
    contract: str = Field(description="The asset's token contract.", examples=[USDC_CONTRACT])
    amount: str = Field(description="A plain decimal of the asset.", examples=["0.05"])


class SellerItem(Closed):
    id: str = Field(examples=["seller_01931b0e8c5d7a3f9f1c2e4b5a6d7c8e"])
    name: str = Field(examples=["Weather Ltd"])
    domain: str | None = Field(examples=["weather.example"])
    domainVerified: bool = Field(description="Whether the seller has proved its domain.", examples=[True])


class SellerDetail(SellerItem):
    domainVerifiedAt: str | None = Field(examples=["2026-11-30T20:24:34.123Z"])


class Resource(Closed):
    """A paid HTTP resource or MCP tool, as a search shows it."""

    id: str = Field(examples=["resource_01931b0e8c5d7a3f9f1c2e4b5a6d7c8e"])
    kind: Literal["http", "mcp"]
    method: str | None = Field(description="Null for an MCP tool.", examples=["GET"])
    url: str = Field(
        description="With `:name` where the caller fills in.", examples=["https://weather.example/v1/:city"]
    )
    tool: str | None = Field(description="Null for an HTTP resource.", examples=[None])
    title: str = Field(examples=["Weather of a city"])
    description: str
    tags: list[str] = Field(examples=[["weather"]])
    category: str | None
    serviceName: str | None
    iconUrl: str | None
    seller: SellerItem
    prices: list[Price]


class ResourceDetail(Resource):
    """What an inspection adds."""

    origin: str = Field(examples=["https://weather.example"])
    route: str = Field(examples=["/v1/:city"])
    pathParameters: list[str] = Field(examples=[["city"]])
    example: Any = Field(description="An example of the answer, or null.")
    provenance: Literal["operator", "seller", "settled_payment"]


class ResourceList(Closed):
    """A page of the catalogue. `partialResults` is true while the index is behind or a part of it is missing."""

    resources: list[Resource]
    partialResults: bool = Field(examples=[False])
    nextCursor: str | None = NEXT_CURSOR


class PaymentRequirements(Closed):
    """x402 version 2: what a payment for the resource must be. `amount` counts the asset's smallest units."""

    scheme: str = Field(examples=["exact"])
    network: str = NETWORK
    amount: str = Field(examples=["500000"])
    asset: str = Field(description="The token contract.", examples=[USDC_CONTRACT])
    payTo: str = Field(examples=["GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ"])
    maxTimeoutSeconds: int = Field(examples=[60])
    extra: dict[str, Any] = Field({}, description="Left out where there is none.")


class Inspection(Closed):
    """All that is known of a resource before it is paid. `paymentRequirements` is the first of `accepts`."""

    resource: ResourceDetail
    x402Version: int = Field(examples=[2])
    paymentRequirements: PaymentRequirements
    accepts: list[PaymentRequirements]
    inputSchema: dict[str, Any] = Field(description="JSON Schema, 2020-12.")
    outputSchema: dict[str, Any] = Field(description="JSON Schema, 2020-12.")
    seller: SellerDetail


class AssetDetail(Closed):
    asset: str = Field(description="The name that a filter takes where the code is not enough.", examples=[USDC])
    code: str = Field(examples=["USDC"])
    issuer: str | None = Field(examples=[USDC.partition(":")[2]])
    contract: str = Field(examples=[USDC_CONTRACT])
    decimals: int = Field(examples=[7])


class NetworkItem(Closed):
    """A network that the key may use, with the assets that payments may be made in."""

    id: str = NETWORK
    isDefault: bool
    playMoney: bool = Field(description="Whether its assets are worth nothing.")
    assets: list[str] = Field(description="Codes.", examples=[["USDC", "XLM"]])
    schemes: list[str] = Field(examples=[["exact"]])
    assetDetails: list[AssetDetail]


class NetworkList(Closed):
    networks: list[NetworkItem]
    nextCursor: str | None = NEXT_CURSOR


class PairItem(Closed):
    pairKey: str = Field(description="`ASSET_A/ASSET_B`.", examples=[f"XLM/{USDC}"])
    assetA: str = Field(description="`XLM`, `CODE:ISSUER`, or a contract's address.", examples=["XLM"])
    assetB: str = Field(examples=[USDC])


class PairOfNetwork(PairItem):
    network: str = NETWORK


class PairList(Closed):
    """The pairs that are quoted on the default network; `network` is null while there is none."""

    network: str | None = Field(examples=["stellar:testnet"])
    pairs: list[PairItem]
    nextCursor: str | None = NEXT_CURSOR


class VenueItem(Closed):
    key: str = Field(examples=["sdex"])
    source: str = Field(description="The URL or contract that is read.", examples=["https://horizon.example"])
    enabled: bool = Field(description="Whether it is read.")


class VenueOfNetwork(VenueItem):
    network: str = NETWORK


class VenueList(Closed):
    """The venues of the default network; `network` is null while there is none."""

    network: str | None = Field(examples=["stellar:testnet"])
    venues: list[VenueItem]
    nextCursor: str | None = NEXT_CURSOR
