"""What the apps offer over MCP: tools and resources, in named groups."""

from __future__ import annotations

from mcp_bridge.registry.definitions import Capability, Group, NoInput, Resource, Tool
from mcp_bridge.registry.registering import add_resource, add_tool, registry, resource, tool
from mcp_bridge.registry.store import Registry

__all__ = [
    "Capability",
    "Group",
    "NoInput",
    "Registry",
    "Resource",
    "Tool",
    "add_resource",
    "add_tool",
    "registry",
    "resource",
    "tool",
]
