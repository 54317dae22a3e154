"""The SDK's low-level Server wired to the registry: it speaks every revision from 2024-11-05 to 2026-07-28."""

from __future__ import annotations

from typing import Any

from mcp.server.caching import CacheHint
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions

from mcp_bridge import configuration
from mcp_bridge.handlers import faults
from mcp_bridge.handlers.asking import Asking
from mcp_bridge.handlers.calling import LIST_TTL_MS, ToolHandlers
from mcp_bridge.handlers.reading import ResourceHandlers
from mcp_bridge.registry import Registry
from mcp_bridge.request import Exchange


class BridgeServer(Server[Any]):
    """The SDK's server, honest to older clients about what it announces.

    The session manager makes the initialization options itself and would say `listChanged: false` whatever is served;
    here both eras say what is delivered.
    """

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        announced = self.get_request_handler("subscriptions/listen") is not None
        options = notification_options or NotificationOptions(announced, announced, announced)
        return super().create_initialization_options(options, experimental_capabilities, extensions)


def build_server(registry: Registry, *, exchange: Exchange | None = None) -> BridgeServer:
    """A server over what the registry offers; `exchange` is who asks when no transport says so, in memory."""
    about = configuration.current()
    asking = Asking(exchange)
    tools = ToolHandlers(registry, asking)
    resources = ResourceHandlers(registry, asking)
    server = BridgeServer(
        about.name,
        version=about.version,
        title=about.title,
        instructions=about.instructions,
        cache_hints={"server/discover": CacheHint(LIST_TTL_MS, "private")},
        get_tool_input_schema=lambda name: tool.input_schema if (tool := registry.tool(name)) else None,
        on_list_tools=tools.list_tools,
        on_call_tool=tools.call,
        on_list_resources=resources.list_resources,
        on_list_resource_templates=resources.list_templates,
        on_read_resource=resources.read,
    )
    server.middleware += [asking.watch, faults.mask]
    return server
