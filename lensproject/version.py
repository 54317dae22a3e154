"""The one version of the product, as the REST API, the MCP server and the admin show it."""

from __future__ import annotations

VERSION = "0.1.0"
NAME = "lens-bazaar"
