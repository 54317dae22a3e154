"""A POST's message: read within the limit, parsed once for both eras, refused plainly when it is none.

The SDK would answer some of these with the text of a pydantic error, some with plain text and some with an empty body.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mcp_types as types
import pydantic_core
from mcp.server.streamable_http import GET_STREAM_KEY
from pydantic import ValidationError
from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope

from mcp_bridge.registry import Registry
from mcp_bridge.transports.errors import Answered, rpc_error


class ClientGone(Exception):
    """The client left before it had sent the whole body."""


async def read_body(scope: Scope, receive: Receive, limit: int) -> bytes:
    """The body. Raises Answered with 413 when it is larger than `limit` bytes, and ClientGone."""
    declared = Headers(scope=scope).get("content-length", "")
    if declared.isdigit() and int(declared) > limit:
        raise too_large(limit)
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise ClientGone
        body += message.get("body", b"")
        if len(body) > limit:
            raise too_large(limit)
        if not message.get("more_body", False):
            return bytes(body)


def too_large(limit: int) -> Answered:
    return rpc_error(413, f"The body is larger than {limit} bytes.", data={"limit": limit})


def replayed(body: bytes, receive: Receive) -> Receive:
    """A `receive` that gives the body once more, and then whatever the server has."""
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return pending.pop() if pending else await receive()

    return again


def parsed(scope: Scope, body: bytes) -> types.JSONRPCMessage:
    """The one JSON-RPC message of a body. Raises Answered: 415, or 400 with -32700 or -32600."""
    kind = Headers(scope=scope).get("content-type", "").split(";")[0].strip().lower()
    if kind != "application/json":
        raise rpc_error(415, "The Content-Type must be application/json.")
    try:
        # Refuses what json.loads lets through: NaN, lone surrogates, nesting without end.
        raw = pydantic_core.from_json(body, allow_inf_nan=False)
    except ValueError:
        raise rpc_error(400, "The body is not JSON.", code=types.PARSE_ERROR) from None
    if isinstance(raw, list):
        raise rpc_error(400, "Batches are not supported; send one message.")
    message = _message(raw)
    # The SDK keeps the stream of GET under this name among the streams of requests, by their ids.
    if isinstance(message, types.JSONRPCRequest) and message.id == GET_STREAM_KEY:
        raise rpc_error(400, "This id is reserved.", id=message.id)
    return message


def _message(raw: Any) -> types.JSONRPCMessage:
    try:
        message = types.jsonrpc_message_adapter.validate_python(raw, by_name=False)
    except ValidationError:
        message = None
    # A request whose id is none would pass for a notification, and its sender would wait for an answer.
    if message is None or (isinstance(message, types.JSONRPCNotification) and "id" in raw):
        raise rpc_error(400, "The body is not a JSON-RPC 2.0 message.")
    return message


def needed_scope(message: types.JSONRPCMessage, registry: Registry) -> str | None:
    """The scope that a request needs; None when any caller may send it."""
    if not isinstance(message, types.JSONRPCRequest):
        return None
    params: Mapping[str, Any] = message.params or {}
    if message.method == "tools/call":
        capability: Any = registry.tool(str(params.get("name")))
    elif message.method == "resources/read":
        capability = registry.resource(str(params.get("uri")))
    else:
        return None
    return None if capability is None else capability.scope
