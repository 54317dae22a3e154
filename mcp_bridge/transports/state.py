"""What lives on one event loop: the SDK's server and session manager, the old transport, and what they share."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from mcp.server.sse import SseServerTransport
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from mcp_bridge import configuration
from mcp_bridge.handlers import BridgeServer, build_server
from mcp_bridge.host import LoopHost
from mcp_bridge.registry import Registry, registry
from mcp_bridge.transports.sessions import InFlight
from mcp_bridge.transports.streams import StreamWatch

MESSAGES = "/messages/"


@dataclass
class Endpoints:
    """The parts that the endpoints speak to."""

    registry: Registry
    server: BridgeServer
    manager: StreamableHTTPSessionManager
    sse: SseServerTransport
    streams: StreamWatch = field(default_factory=StreamWatch)
    in_flight: InFlight = field(default_factory=InFlight)
    sse_open: int = 0


@asynccontextmanager
async def opened() -> AsyncIterator[Endpoints]:
    """The parts, running. A session manager serves once, so each loop has its own."""
    about = configuration.current()
    server = build_server(registry)
    manager = StreamableHTTPSessionManager(
        app=server,
        # No event store: a shared one hands one session's messages to another, and 2026-07-28 has no resumption.
        event_store=None,
        json_response=about.mcp_json_response,
        session_idle_timeout=about.mcp_session_idle_seconds,
        max_request_body_size=about.mcp_max_body_bytes,
        max_sessions=about.mcp_max_sessions,
    )
    sse = SseServerTransport(MESSAGES, max_request_body_size=about.mcp_max_body_bytes)
    endpoints = Endpoints(registry, server, manager, sse)
    watch = asyncio.create_task(endpoints.streams.run())
    try:
        async with manager.run():
            yield endpoints
    finally:
        watch.cancel()


host: LoopHost[Endpoints] = LoopHost(opened)
