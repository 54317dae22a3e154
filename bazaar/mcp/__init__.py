"""What the catalogue and Lens offer over MCP. Importing it registers all of it, as `admin` modules do for the admin."""

from __future__ import annotations

from bazaar.mcp import inspecting, lens, networks, openapi, searching, status, tracked

__all__ = ["inspecting", "lens", "networks", "openapi", "searching", "status", "tracked"]
