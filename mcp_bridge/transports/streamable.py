"""`/mcp`: Streamable HTTP of both eras, on the SDK's session manager, with what it leaves to the server in front."""

from __future__ import annotations

from contextlib import AsyncExitStack

import mcp_types as types
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send

from lensproject.core.callers import Caller
from mcp_bridge import configuration
from mcp_bridge.request import Exchange
from mcp_bridge.transports import access, incoming
from mcp_bridge.transports.endpoint import endpoint
from mcp_bridge.transports.errors import rpc_error
from mcp_bridge.transports.sessions import Ticket
from mcp_bridge.transports.state import Endpoints, host

TRANSPORT = "streamable-http"


async def _serve(scope: Scope, receive: Receive, send: Send) -> None:
    endpoints = await host.state()
    caller = await access.admitted(scope, endpoints.registry.scopes)
    if scope["method"] == "POST":
        await _post(endpoints, caller, scope, receive, send)
    else:
        _require_session(scope, None)
        await _stream(endpoints, caller, scope, receive, send)


async def _post(endpoints: Endpoints, caller: Caller, scope: Scope, receive: Receive, send: Send) -> None:
    body = await incoming.read_body(scope, receive, configuration.current().mcp_max_body_bytes)
    message = incoming.parsed(scope, body)
    access.require_scope(endpoints.registry, caller, scope, message)
    exchange = Exchange(caller, TRANSPORT, session_of(scope))
    ticket = await _take(endpoints, scope, message, exchange)
    try:
        handed = access.handed_on(scope, caller, exchange)
        await endpoints.manager.handle_request(handed, incoming.replayed(body, receive), send)
    finally:
        if ticket is not None:
            ticket.done()


async def _stream(endpoints: Endpoints, caller: Caller, scope: Scope, receive: Receive, send: Send) -> None:
    """GET, a stream for as long as the key stands; DELETE, the end of a session."""
    handed = access.handed_on(scope, caller, Exchange(caller, TRANSPORT, session_of(scope)))
    async with AsyncExitStack() as stack:
        if scope["method"] == "GET":
            stream = await stack.enter_async_context(endpoints.streams.watching(access.recheck(scope, caller)))
            receive = stream.receive(receive)
        await endpoints.manager.handle_request(handed, receive, send)


def session_of(scope: Scope) -> str | None:
    return Headers(scope=scope).get("mcp-session-id")


def _is_legacy(scope: Scope) -> bool:
    """Whether the request belongs to the era of sessions: no version named, or one of the handshake's."""
    version = Headers(scope=scope).get("mcp-protocol-version")
    return version is None or version in HANDSHAKE_PROTOCOL_VERSIONS


def _require_session(scope: Scope, id: types.RequestId | None) -> str | None:
    """The session of a request that needs one. The SDK would make a session first and then refuse."""
    if not _is_legacy(scope):
        return None
    session = session_of(scope)
    if session is None:
        raise rpc_error(400, "Initialize first, and send the Mcp-Session-Id that was answered.", id=id)
    return session


async def _take(endpoints: Endpoints, scope: Scope, message: types.JSONRPCMessage, exchange: Exchange) -> Ticket | None:
    if not isinstance(message, types.JSONRPCRequest):
        _require_session(scope, None)
        return None
    if message.method == "initialize":
        return None
    session = _require_session(scope, message.id)
    return None if session is None else await endpoints.in_flight.take(session, message.id, exchange)


mcp_endpoint = endpoint(_serve, "GET", "POST", "DELETE")
