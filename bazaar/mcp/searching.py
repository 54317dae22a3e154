"""The tool `search_paid_resources`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from bazaar.catalog.reading import listed, resource_items
from bazaar.catalog.shapes import ResourceItem
from bazaar.catalog.supported import chosen_networks, named_assets
from bazaar.mcp.access import reading_scope
from bazaar.models import Asset, Network, Seller
from bazaar.search.pages import Criteria, search
from lensproject.core.amounts import Amount
from lensproject.core.errors import InvalidInput, NotFound
from mcp_bridge.registry import tool
from mcp_bridge.request import ToolRequest
from mcp_bridge.response import ToolResponse

_SELLER_ID = re.compile(r"[A-Za-z0-9_-]{1,48}")


class SearchInput(BaseModel):
    """What is searched for."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel)

    query: str = Field(
        max_length=200,
        description="Words; each must be in title, description or tags. Empty lists everything, by title.",
    )
    network: str | None = Field(None, description="CAIP-2 name such as stellar:testnet. Name it if you have a policy.")
    asset: str | None = Field(None, description="Code such as USDC, or CODE:ISSUER, or the token contract's address.")
    limit: int = Field(10, ge=1, le=50, description="Most resources in one answer.")
    cursor: str | None = Field(
        None, max_length=2000, description="nextCursor of the answer before, with the same search."
    )
    kind: Literal["http", "mcp"] | None = Field(None, description="HTTP resources or MCP tools only.")
    max_amount: str | None = Field(
        None, max_length=40, description="Most that a call may cost in `asset`, a plain decimal such as 0.10."
    )
    seller: str | None = Field(None, description="Id of a seller: only what it offers.")


class SearchOutput(BaseModel):
    """`partialResults`: the answer may be incomplete. `nextCursor` is null on the last page."""

    model_config = ConfigDict(alias_generator=to_camel)

    resources: list[ResourceItem]
    partial_results: bool
    next_cursor: str | None


@tool(
    "bazaar",
    name="search_paid_resources",
    title="Search paid resources",
    description=(
        "Find paid HTTP resources and MCP tools by words, network, asset and price. Each result names its seller and "
        "its prices. Results are not enough to pay by: call inspect_resource first."
    ),
    input=SearchInput,
    output=SearchOutput,
    scope=reading_scope(),
    read_only=True,
    destructive=False,
    idempotent=True,
    open_world=False,
)
def search_paid_resources(request: ToolRequest[SearchInput], response: ToolResponse) -> dict[str, Any]:
    asked = request.params
    networks = chosen_networks(asked.network, request.caller)
    page = search(listed(networks), _criteria(asked, networks), limit=asked.limit, cursor=asked.cursor)
    return {
        "resources": resource_items(page.entries, networks),
        # The database is searched itself, so nothing is missing.
        "partialResults": False,
        "nextCursor": page.next_cursor,
    }


def _criteria(asked: SearchInput, networks: Sequence[Network]) -> Criteria:
    return Criteria(
        query=asked.query,
        kind=asked.kind,
        seller=_seller(asked.seller),
        network=asked.network,
        prices=_prices(asked, networks),
    )


def _prices(asked: SearchInput, networks: Sequence[Network]) -> dict[int, int | None] | None:
    if asked.asset is None and asked.max_amount is not None:
        problem = "An amount means nothing without its asset: name `asset` too."
        raise InvalidInput(problem, details={"fields": {"maxAmount": problem}})
    if asked.asset is None:
        return None
    return {asset.pk: _units(asked.max_amount, asset) for asset in named_assets(asked.asset, networks)}


def _units(text: str | None, asset: Asset) -> int | None:
    try:
        return None if text is None else Amount.parse(text, asset.decimals).units
    except ValueError as error:
        raise InvalidInput(f"maxAmount: {error}.", details={"fields": {"maxAmount": str(error)}}) from None


def _seller(public_id: str | None) -> str | None:
    if public_id is None:
        return None
    sellers = Seller.objects.filter(public_id=public_id, state=Seller.State.ACTIVE)
    if not _SELLER_ID.fullmatch(public_id) or not sellers.exists():
        raise NotFound("There is no active seller of this id.", details={"seller": public_id[:64]})
    return public_id
