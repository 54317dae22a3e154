"""What a POST may be."""

from __future__ import annotations

import json
from typing import Any

import mcp_types as types
import pytest
from asgiref.sync import async_to_sync
from starlette.types import Message, Receive

from mcp_bridge.registry import Registry
from mcp_bridge.transports import incoming
from mcp_bridge.transports.errors import Answered
from tests.mcp_bridge.asgi import scope_of

JSON = {"content-type": "application/json; charset=utf-8"}
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


def receiving(*messages: Message) -> Receive:
    pending = list(messages)

    async def receive() -> Message:
        return pending.pop(0)

    return receive


def part(body: bytes, more: bool = False) -> Message:
    return {"type": "http.request", "body": body, "more_body": more}


def read(*messages: Message, limit: int = 10, headers: dict[str, str] | None = None) -> bytes:
    scope = scope_of("POST", "/mcp", headers or {})
    body: bytes = async_to_sync(incoming.read_body)(scope, receiving(*messages), limit)
    return body


def parse(body: bytes, headers: dict[str, str] = JSON) -> types.JSONRPCMessage:
    return incoming.parsed(scope_of("POST", "/mcp", headers), body)


def refusal(body: bytes, headers: dict[str, str] = JSON) -> tuple[int, Any]:
    with pytest.raises(Answered) as answered:
        parse(body, headers)
    response = answered.value.response
    return response.status_code, json.loads(bytes(response.body))


def test_a_body_in_parts_is_put_together() -> None:
    assert read(part(b"abc", True), part(b"", True), part(b"defg")) == b"abcdefg"


def test_a_body_of_the_limit_is_read() -> None:
    assert read(part(b"x" * 10)) == b"x" * 10


@pytest.mark.parametrize(
    ("messages", "headers"),
    [
        ([part(b"x" * 11)], {}),
        ([part(b"x" * 6, True), part(b"x" * 6, True)], {}),
        ([], {"content-length": "11"}),
    ],
    ids=["at once", "in parts", "declared"],
)
def test_a_larger_body_is_refused_without_reading_on(messages: list[Message], headers: dict[str, str]) -> None:
    with pytest.raises(Answered) as answered:
        read(*messages, headers=headers)
    response = answered.value.response
    assert response.status_code == 413
    assert json.loads(bytes(response.body))["error"]["data"] == {"limit": 10}


def test_a_declared_length_that_is_no_number_says_nothing() -> None:
    assert read(part(b"abc"), headers={"content-length": "many"}) == b"abc"


def test_a_client_that_leaves_halfway_is_gone() -> None:
    with pytest.raises(incoming.ClientGone):
        read(part(b"abc", True), {"type": "http.disconnect"})


def test_a_body_that_was_read_can_be_read_once_more_and_then_comes_what_follows() -> None:
    async def twice() -> list[Message]:
        receive = incoming.replayed(b"abc", receiving({"type": "http.disconnect"}))
        return [await receive(), await receive()]

    assert async_to_sync(twice)() == [part(b"abc"), {"type": "http.disconnect"}]


def test_a_request_is_a_request() -> None:
    message = parse(json.dumps(PING).encode())
    assert isinstance(message, types.JSONRPCRequest)
    assert (message.id, message.method) == (1, "ping")


@pytest.mark.parametrize("kind", ["text/plain", "", "application/jsonp", "multipart/form-data; a=application/json"])
def test_another_content_type_is_415(kind: str) -> None:
    assert refusal(b"{}", {"content-type": kind})[0] == 415


@pytest.mark.parametrize(
    "body", [b"", b"{", b"hello", b"\xff\xfe", b'{"a": NaN}', b'{"a": "\\ud800"}', b"[" * 5000, b'{"a":' * 5000],
    ids=["empty", "cut", "word", "binary", "NaN", "surrogate", "deep list", "deep object"],
)  # fmt: skip
def test_what_is_not_json_is_a_parse_error(body: bytes) -> None:
    status, answer = refusal(body)
    assert (status, answer["id"], answer["error"]["code"]) == (400, None, -32700)


@pytest.mark.parametrize(
    "body",
    ["1", "null", '"x"', "{}", '{"jsonrpc": "1.0", "id": 1, "method": "ping"}', '{"id": 1, "method": "ping"}',
     '{"jsonrpc": "2.0", "id": {}, "method": "ping"}', '{"jsonrpc": "2.0", "id": 1}'],
)  # fmt: skip
def test_json_that_is_no_message_is_an_invalid_request_without_the_text_of_a_validator(body: str) -> None:
    status, answer = refusal(body.encode())
    assert (status, answer["error"]["code"]) == (400, -32600)
    assert answer["error"]["message"] == "The body is not a JSON-RPC 2.0 message."


def test_9_22_a_batch_is_refused_plainly() -> None:
    status, answer = refusal(json.dumps([PING, PING]).encode())
    assert (status, answer["error"]["code"]) == (400, -32600)
    assert "Batches" in answer["error"]["message"]


def test_the_name_of_the_get_stream_is_no_id() -> None:
    status, answer = refusal(json.dumps({**PING, "id": "_GET_stream"}).encode())
    assert (status, answer["id"], answer["error"]["code"]) == (400, "_GET_stream", -32600)


def needed(offered: Registry, method: str, params: dict[str, Any] | None) -> str | None:
    return incoming.needed_scope(types.JSONRPCRequest(jsonrpc="2.0", id=1, method=method, params=params), offered)


def test_what_a_request_needs_is_what_the_called_one_needs(offered: Registry) -> None:
    assert needed(offered, "tools/call", {"name": "make_group"}) == "write"
    assert needed(offered, "resources/read", {"uri": "test://mine"}) == "write"


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {"name": "add"}),
        ("tools/call", {"name": "unknown"}),
        ("tools/call", {"name": ["make_group"]}),
        ("tools/call", None),
        ("resources/read", {"uri": "test://static"}),
        ("resources/read", {}),
        ("tools/list", {"name": "make_group"}),
    ],
)
def test_what_is_open_or_unknown_needs_nothing(offered: Registry, method: str, params: dict[str, Any] | None) -> None:
    assert needed(offered, method, params) is None


def test_a_notification_needs_nothing(offered: Registry) -> None:
    message = types.JSONRPCNotification(jsonrpc="2.0", method="tools/call", params={"name": "make_group"})
    assert incoming.needed_scope(message, offered) is None
