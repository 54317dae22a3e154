"""`lens://pairs` and `lens://venues`: what Lens quotes on the default network, and where it reads it."""

from __future__ import annotations

from bazaar.markets.listing import PairList, VenueList, pair_list, venue_list
from bazaar.mcp.access import reading_scope
from bazaar.mcp.tracked import ASSETS, NETWORKS, PAIRS, VENUES
from mcp_bridge.registry import resource
from mcp_bridge.request import ResourceRequest
from mcp_bridge.response import JSON_TYPE, ResourceResponse


@resource(
    "lens",
    uri="lens://pairs",
    name="pairs",
    title="Watched pairs",
    description=(
        "The pairs of Stellar assets that Lens quotes on the default network: "
        "{network, pairs: [{pairKey, assetA, assetB}]}. An asset is XLM, CODE:ISSUER or a contract's address."
    ),
    mime_type=JSON_TYPE,
    scope=reading_scope(),
    topics=(PAIRS, ASSETS, NETWORKS),
)
def pairs(request: ResourceRequest, response: ResourceResponse) -> PairList:
    return pair_list()


@resource(
    "lens",
    uri="lens://venues",
    name="venues",
    title="Venues",
    description=(
        "The venues that Lens reads prices from on the default network, each with its source and whether it is "
        "enabled here: {network, venues: [{key, source, enabled}]}."
    ),
    mime_type=JSON_TYPE,
    scope=reading_scope(),
    topics=(VENUES, NETWORKS),
)
def venues(request: ResourceRequest, response: ResourceResponse) -> VenueList:
    return venue_list()
