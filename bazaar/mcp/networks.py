"""The tool `list_supported_networks`."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from bazaar.catalog.supported import SupportedNetwork, supported_networks
from bazaar.mcp.access import reading_scope
from mcp_bridge.registry import NoInput, tool
from mcp_bridge.request import ToolRequest
from mcp_bridge.response import ToolResponse


class SupportedNetworks(BaseModel):
    """The networks that the caller may use."""

    networks: list[SupportedNetwork]


@tool(
    "bazaar",
    name="list_supported_networks",
    title="List supported networks",
    description=(
        "The Stellar networks on which resources can be paid for here, each with the codes of its assets and its "
        "payment schemes. assetDetails has issuer, contract and decimals; where two assets share a code, name one by "
        "its `asset`."
    ),
    input=NoInput,
    output=SupportedNetworks,
    scope=reading_scope(),
    read_only=True,
    destructive=False,
    idempotent=True,
    open_world=False,
)
def list_supported_networks(request: ToolRequest[NoInput], response: ToolResponse) -> dict[str, Any]:
    return {"networks": supported_networks(request.caller)}
