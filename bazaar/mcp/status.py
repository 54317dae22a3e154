"""`lens://status`: what this server is and watches at the instant of reading."""

from __future__ import annotations

from typing import Any

from bazaar.markets.listing import default_network
from bazaar.markets.shown_urls import only_host
from bazaar.mcp.access import reading_scope
from bazaar.models import Network
from lensproject.core import clock, ids
from mcp_bridge import configuration
from mcp_bridge.registry import resource
from mcp_bridge.request import ResourceRequest
from mcp_bridge.response import JSON_TYPE, ResourceResponse


@resource(
    "lens",
    uri="lens://status",
    name="status",
    title="Status",
    description=(
        "The default network, its Horizon and RPC nodes (scheme, host and port), which venues are enabled, how many "
        "pairs are watched, and this server's name and version. Generated anew at each read, so every read is a new "
        "version."
    ),
    mime_type=JSON_TYPE,
    scope=reading_scope(),
)
def status(request: ResourceRequest, response: ResourceResponse) -> ResourceResponse:
    at = clock.now()
    about = configuration.current()
    watched = _watched(default_network())
    server = {"name": about.name, "version": about.version}
    # Two readings may fall into one millisecond, and still no version outlives its reading.
    reading = {"generatedAt": clock.iso(at), "readingId": ids.public_id("reading")}
    return response.json({**watched, "server": server, **reading}).modified(at).send()


def _watched(network: Network | None) -> dict[str, Any]:
    if network is None:
        return {"network": None, "horizonUrl": None, "rpcUrl": None, "venues": [], "watchedPairs": 0}
    venues = sorted(network.venues.values_list("key", "enabled"))
    return {
        "network": network.name,
        "horizonUrl": only_host(network.horizon_url),
        "rpcUrl": only_host(network.rpc_url),
        "venues": [{"key": key, "enabled": enabled} for key, enabled in venues],
        "watchedPairs": network.pairs.filter(enabled=True).count(),
    }
