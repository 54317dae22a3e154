"""System checks of what is offered, and of how the server is started."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from django.core import checks

from mcp_bridge.registry.registering import registry


def check_offer(app_configs: object = None, **kwargs: Any) -> list[checks.CheckMessage]:
    """Duplicate names and URIs, open inputs, replacements of nothing, topics that nothing tracks."""
    return registry.problems()


def check_http_timeout(
    app_configs: object = None, argv: Sequence[str] | None = None, **kwargs: Any
) -> list[checks.CheckMessage]:
    """Daphne ends every response, a stream too, after its HTTP timeout."""
    words = sys.argv if argv is None else argv
    if not any(word.split("=")[0] in ("--http_timeout", "--http-timeout") for word in words):
        return []
    hint = "Leave it unset; `mcp_session_idle_seconds` ends idle sessions."
    return [checks.Warning("An HTTP timeout ends every MCP stream.", hint=hint, id="mcp_bridge.W001")]
