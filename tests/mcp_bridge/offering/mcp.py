"""Found by the bridge as Django finds `admin`."""

from __future__ import annotations

from mcp_bridge.authentication import authenticate_with
from mcp_bridge.registry import registry
from tests.mcp_bridge.offering import keys
from tests.mcp_bridge.offering.resources import offer_resources, track_groups
from tests.mcp_bridge.offering.tools import offer_tools

track_groups()
keys.track_keys()
offer_tools(registry)
offer_resources(registry)
authenticate_with(keys.verify, topic=keys.TOPIC)
