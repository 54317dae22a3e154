"""The tool `inspect_resource`."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from bazaar.catalog import reading
from bazaar.catalog.shapes import Inspection, PaymentRequirements, ResourceDetail, SellerDetail
from bazaar.catalog.supported import usable_networks
from bazaar.mcp.access import reading_scope
from mcp_bridge.registry import tool
from mcp_bridge.request import ToolRequest
from mcp_bridge.response import ToolResponse


class InspectInput(BaseModel):
    """Which resource."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel)

    resource_id: str = Field(description="`id` of a result of search_paid_resources.")


class InspectOutput(BaseModel):
    """`paymentRequirements` is the first of `accepts`, the best way to pay; all are x402 v2 PaymentRequirements."""

    model_config = ConfigDict(alias_generator=to_camel)

    resource: ResourceDetail
    x402_version: int = Field(alias="x402Version")
    payment_requirements: PaymentRequirements
    accepts: list[PaymentRequirements]
    input_schema: dict[str, Any]
    output_schema: dict[str, Any]
    seller: SellerDetail


@tool(
    "bazaar",
    name="inspect_resource",
    title="Inspect a resource",
    description=(
        "All that is known of one resource before you pay for it: its terms (x402 payment requirements, amounts in "
        "units), its input and output schema, its URL, and who sells it."
    ),
    input=InspectInput,
    output=InspectOutput,
    scope=reading_scope(),
    read_only=True,
    destructive=False,
    idempotent=True,
    open_world=False,
)
def inspect_resource(request: ToolRequest[InspectInput], response: ToolResponse) -> Inspection:
    return reading.inspect(request.params.resource_id, usable_networks(request.caller))
