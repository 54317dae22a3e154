"""The endpoints of the bridge as raw ASGI applications, for a Channels router:

Front(ProtocolTypeRouter({"http": URLRouter(routes(django))}))
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.urls import URLPattern, re_path

from mcp_bridge.transports.front import Front
from mcp_bridge.transports.metadata import metadata_endpoint
from mcp_bridge.transports.sse import messages_endpoint, sse_endpoint
from mcp_bridge.transports.state import host
from mcp_bridge.transports.streamable import mcp_endpoint

__all__ = ["Front", "host", "routes"]


def routes(django: Callable[..., Any]) -> list[URLPattern]:
    """The routes of the bridge, and Django for everything else.

    Flat and with a last one that takes all: the router cannot include others, and answers 500 where nothing matches.
    """
    return [
        _route(r"^mcp/?$", mcp_endpoint),
        _route(r"^sse/?$", sse_endpoint),
        _route(r"^messages/?$", messages_endpoint),
        _route(r"^\.well-known/oauth-protected-resource(/mcp)?$", metadata_endpoint),
        _route(r"", django),
    ]


def _route(pattern: str, application: Callable[..., Any]) -> URLPattern:
    route: URLPattern = re_path(pattern, application)
    return route
