"""What the transports say when they refuse: JSON-RPC errors, or the one error shape; never HTML, never nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus

import mcp_types as types
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Message, Send

from lensproject.core.errors import JSON, Refusal

NO_ID: types.RequestId | None = None


class Answered(Exception):
    """Ends the handling of a request with this response."""

    def __init__(self, response: Response) -> None:
        super().__init__(response.status_code)
        self.response = response


def rpc_error(
    status: int,
    message: str,
    *,
    code: int = types.INVALID_REQUEST,
    data: Mapping[str, JSON] | None = None,
    id: types.RequestId | None = NO_ID,
    headers: Mapping[str, str] | None = None,
) -> Answered:
    """A JSON-RPC error with an HTTP status; `id` null when the request had none that could be read (JSON-RPC 2.0,
    5).
    """
    error: dict[str, object] = {"code": code, "message": message}
    if data is not None:
        error["data"] = dict(data)
    body = {"jsonrpc": "2.0", "id": id, "error": error}
    return Answered(_json(body, status, headers))


def refused(refusal: Refusal, headers: Mapping[str, str] | None = None) -> Answered:
    """The one error shape with the code's HTTP status."""
    return Answered(_json(refusal.shape(), refusal.code.status, headers))


def _json(body: object, status: int, headers: Mapping[str, str] | None) -> Response:
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return Response(text, status_code=status, headers=dict(headers or {}), media_type="application/json")


def in_json(send: Send) -> Send:
    """Turn error responses of the SDK that are plain text or empty (405, 406, 413 and others) into JSON-RPC errors."""
    swallowing = False

    async def wrapped(message: Message) -> None:
        nonlocal swallowing
        if message["type"] == "http.response.start" and message["status"] >= 400:
            headers = Headers(raw=message["headers"])
            if not headers.get("content-type", "").startswith("application/json"):
                swallowing = True
                await _replace(message, headers, send)
        if not swallowing:
            await send(message)

    return wrapped


async def _replace(message: Message, headers: Headers, send: Send) -> None:
    kept = {name: value for name, value in headers.items() if name not in ("content-type", "content-length")}
    response = rpc_error(message["status"], HTTPStatus(message["status"]).phrase, headers=kept).response
    await send({"type": "http.response.start", "status": response.status_code, "headers": response.raw_headers})
    await send({"type": "http.response.body", "body": response.body, "more_body": False})
