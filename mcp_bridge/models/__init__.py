"""What the bridge keeps in the database."""

from __future__ import annotations

from mcp_bridge.models.changes import Change, ChangeTotal

__all__ = ["Change", "ChangeTotal"]
