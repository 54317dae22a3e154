"""What payments offers over MCP, and how callers are known there. Importing it registers all of it, its codes too."""

from __future__ import annotations

from payments import errors
from payments.mcp import budget, keys

__all__ = ["budget", "errors", "keys"]
