"""The protocol's requests, answered from the registry."""

from __future__ import annotations

from mcp_bridge.handlers.server import BridgeServer, build_server

__all__ = ["BridgeServer", "build_server"]
