"""`/sse` and `/messages/`: HTTP+SSE of 2024-11-05, for clients that know nothing newer. Deprecated by the protocol.

GET /sse opens the stream, whose first event says where to post; POST /messages/ is answered 202, and the result comes
on the stream.
"""

from __future__ import annotations

import re

import anyio
import mcp_types as types
from mcp.server.runner import serve_loop
from starlette.datastructures import MutableHeaders, QueryParams
from starlette.types import Message, Receive, Scope, Send

from lensproject.core.callers import Caller
from lensproject.core.errors import NotFound
from mcp_bridge import configuration
from mcp_bridge.request import Exchange
from mcp_bridge.transports import access, incoming
from mcp_bridge.transports.endpoint import endpoint
from mcp_bridge.transports.errors import refused, rpc_error
from mcp_bridge.transports.state import Endpoints, host

TRANSPORT = "sse"
DEPRECATED_SINCE = "@1742947200"
"""RFC 9745: 2025-03-26, the revision that replaced this transport."""
SESSION = re.compile(r"[0-9a-f]{32}")


def _deprecation(scope: Scope) -> dict[str, str]:
    successor = f"{scope.get('root_path', '')}{access.PATH}"
    return {"Deprecation": DEPRECATED_SINCE, "Link": f'<{successor}>; rel="successor-version"'}


def _announcing(scope: Scope, send: Send) -> Send:
    """Every answer of this transport says that it is deprecated, and in favour of what."""

    async def wrapped(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(raw=list(message["headers"]))
            headers.update(_deprecation(scope))
            message = {**message, "headers": headers.raw}
        await send(message)

    return wrapped


def _require_on(scope: Scope) -> None:
    if not configuration.current().sse_enabled:
        raise refused(NotFound("HTTP+SSE is off on this server; use /mcp."), _deprecation(scope))


async def _open(scope: Scope, receive: Receive, send: Send) -> None:
    _require_on(scope)
    endpoints = await host.state()
    caller = await access.admitted(scope, endpoints.registry.scopes)
    if endpoints.sse_open >= configuration.current().mcp_max_sessions:
        raise rpc_error(503, "Too many open sessions.", code=types.INTERNAL_ERROR)
    endpoints.sse_open += 1
    try:
        async with endpoints.streams.watching(access.recheck(scope, caller)) as stream:
            await _session(endpoints, caller, scope, stream.receive(receive), _announcing(scope, send))
    finally:
        endpoints.sse_open -= 1


async def _session(endpoints: Endpoints, caller: Caller, scope: Scope, receive: Receive, send: Send) -> None:
    handed = access.handed_on(scope, caller, Exchange(caller, TRANSPORT))
    async with endpoints.sse.connect_sse(handed, receive, send) as (incoming_messages, outgoing):
        # Server.run() would enter the server's lifespan once for each connection; the host has entered it.
        await serve_loop(endpoints.server, incoming_messages, outgoing, lifespan_state={})


async def _post(scope: Scope, receive: Receive, send: Send) -> None:
    _require_on(scope)
    endpoints = await host.state()
    caller = await access.admitted(scope, endpoints.registry.scopes)
    session = QueryParams(scope["query_string"]).get("session_id")
    if session is None or not SESSION.fullmatch(session):
        raise rpc_error(400, "The session_id that the stream's first event named is missing.")
    body = await incoming.read_body(scope, receive, configuration.current().mcp_max_body_bytes)
    message = incoming.parsed(scope, body)
    access.require_scope(endpoints.registry, caller, scope, message)
    exchange = Exchange(caller, TRANSPORT, session)
    ticket = None
    if isinstance(message, types.JSONRPCRequest):
        ticket = await endpoints.in_flight.take(session, message.id, exchange, answered=True)
    delivered = await _delivered(endpoints, access.handed_on(scope, caller, exchange), receive, send, body)
    if ticket is not None and not delivered:
        ticket.free()


async def _delivered(endpoints: Endpoints, scope: Scope, receive: Receive, send: Send, body: bytes) -> bool:
    """Hand the message to its session. False when there is none, or it ended meanwhile, so that no handler will run."""
    accepted = False

    async def watched(message: Message) -> None:
        nonlocal accepted
        if message["type"] == "http.response.start":
            accepted = message["status"] == 202
        await send(message)

    try:
        await endpoints.sse.handle_post_message(scope, incoming.replayed(body, receive), _announcing(scope, watched))
    except (anyio.BrokenResourceError, anyio.ClosedResourceError):
        return False  # The stream ended after the 202.
    return accepted


sse_endpoint = endpoint(_open, "GET")
messages_endpoint = endpoint(_post, "POST")
