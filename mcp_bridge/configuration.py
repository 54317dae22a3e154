"""What the bridge may be told, with its defaults: the limits of the transports and who is let in without a key.

The values come from `settings.MCP_BRIDGE` (a dict, for a Django project of any kind), else from the typed settings
object `settings.LENS` of this one (`mcp_max_body_bytes` and so on), else from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured


@dataclass(frozen=True)
class Configuration:
    """Sizes in bytes, times in the unit that the name says."""

    name: str = "lens-bazaar"
    title: str = "Lens Bazaar"
    version: str = ""
    instructions: str | None = None
    public_url: str | None = None
    authorization_servers: tuple[str, ...] = ()
    network: str | None = None
    anonymous_reading: bool = False
    proxy_count: int = 0
    sse_enabled: bool = True
    mcp_allowed_origins: tuple[str, ...] = ()
    mcp_max_body_bytes: int = 1_048_576
    mcp_max_sessions: int = 10_000
    mcp_session_idle_seconds: int = 1800
    mcp_json_response: bool = False
    mcp_stall_seconds: float = 30.0
    sweep_interval_ms: int = 250
    page_size: int = 100
    meta_prefix: str = "io.lensbazaar/"


def current() -> Configuration:
    """The configuration in use. Read anew at each call, so that tests may override settings."""
    given: Mapping[str, Any] = getattr(settings, "MCP_BRIDGE", {})
    typed = getattr(settings, "LENS", None)
    unknown = set(given) - {item.name for item in fields(Configuration)}
    if unknown:
        raise ImproperlyConfigured(f"MCP_BRIDGE has unknown names: {', '.join(sorted(unknown))}")
    values = {}
    for item in fields(Configuration):
        if item.name in given:
            values[item.name] = given[item.name]
        elif hasattr(typed, item.name):
            values[item.name] = getattr(typed, item.name)
    return Configuration(**values)
