"""What the settings change, on the wire."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.mcp_bridge.wire.raw import (
    INITIALIZE,
    get_stream,
    headers_of,
    initialized,
    modern,
    rpc,
    send,
    sse_stream,
)
from tests.servers.web import KINDS, WebServer

pytestmark = pytest.mark.parametrize("kind", KINDS)
Start = Callable[..., WebServer]


def test_sse_can_be_off(start: Start, key: str, kind: str) -> None:
    server = start(kind, bridge={"sse_enabled": False})
    for method, path in (("GET", "/sse"), ("POST", "/messages/?session_id=0")):
        reply = send(server.port, method, path, headers_of(key), b"{}")
        assert (reply.status, reply.json["error"]["code"]) == (404, "RESOURCE_NOT_FOUND")
        assert reply.headers["link"] == '</mcp>; rel="successor-version"'
    assert send(server.port, "POST", "/mcp", headers_of(key), INITIALIZE).status == 200


def test_reading_can_be_open_to_everybody(start: Start, key: str, kind: str) -> None:
    server = start(kind, bridge={"anonymous_reading": True})
    listed = modern(server.port, None, "tools/list").json["result"]["tools"]
    assert "add" in [tool["name"] for tool in listed]
    assert "make_group" not in [tool["name"] for tool in listed]
    read = modern(server.port, None, "resources/read", uri="test://static").json["result"]
    assert (read["contents"][0]["text"], read["cacheScope"]) == ("ünchanging", "public")
    refused = modern(server.port, None, "tools/call", name="make_group", arguments={"name": "x"})
    assert (refused.status, refused.json["error"]["code"]) == (401, "UNAUTHENTICATED")
    assert 'scope="write"' in refused.headers["www-authenticate"]
    assert modern(server.port, "wrong", "tools/list").status == 401
    # A session that was begun without a key is not one of a key's.
    session = send(server.port, "POST", "/mcp", headers_of(None), INITIALIZE).headers["mcp-session-id"]
    assert send(server.port, "POST", "/mcp", headers_of(key, Mcp_Session_Id=session), rpc("ping")).status == 404


def test_limits_are_settings(start: Start, key: str, kind: str) -> None:
    server = start(kind, bridge={"mcp_max_body_bytes": 2048, "mcp_max_sessions": 1})
    reply = send(server.port, "POST", "/mcp", headers_of(key), b'{"a": "' + b"x" * 2048 + b'"}')
    assert (reply.status, reply.json["error"]["data"]) == (413, {"limit": 2048})
    headers = initialized(server.port, key)
    refused = send(server.port, "POST", "/mcp", headers_of(key), INITIALIZE)
    assert (refused.status, refused.json["error"]["code"]) == (503, -32603)
    assert send(server.port, "DELETE", "/mcp", headers).status == 200
    initialized(server.port, key)
    stream, _ = sse_stream(server.port, key)
    with stream:
        reply = send(server.port, "GET", "/sse", headers_of(key))
        assert (reply.status, reply.json["error"]["code"]) == (503, -32603)


def test_answers_can_be_plain_json(start: Start, key: str, kind: str) -> None:
    server = start(kind, bridge={"mcp_json_response": True})
    headers = initialized(server.port, key)
    reply = send(server.port, "POST", "/mcp", headers, rpc("tools/call", {"name": "say"}))
    assert reply.headers["content-type"] == "application/json"
    assert reply.json["result"]["content"][0]["text"] == "just text"
    with get_stream(server.port, headers) as stream:
        assert stream.until(b": open") < 1


def test_9_18_behind_a_prefix_clients_are_sent_to_the_prefix(start: Start, key: str, kind: str) -> None:
    server = start(kind, environment={"OFFERING_SCRIPT_NAME": "/lens"})
    for prefix in ("/lens", ""):
        assert send(server.port, "POST", f"{prefix}/mcp", headers_of(key), INITIALIZE).status == 200
    stream, path = sse_stream(server.port, key)
    stream.close()
    assert path.startswith("/messages/")  # What follows `session_id=`; the event itself has the prefix:
    assert b"data: /lens/messages/?session_id=" in stream.received


def test_9_5_a_timeout_that_would_end_streams_is_warned_of(start: Start, key: str, kind: str) -> None:
    options = ("--http-timeout", "60") if kind == "daphne" else ()
    server = start(kind, options=options)
    initialized(server.port, key)
    warned = "--http-timeout 60: every MCP stream ends after that" in server.log.read_text()
    assert warned == (kind == "daphne")


def test_a_database_that_is_away_is_503(start: Start, key: str, kind: str) -> None:
    server = start(kind, environment={"OFFERING_LOSES_ITS_DATABASE": "1"})
    reply = send(server.port, "POST", "/mcp", headers_of(key), INITIALIZE)
    assert (reply.status, reply.json["error"]["code"], reply.headers["retry-after"]) == (503, -32603, "5")
    assert "Traceback" not in reply.body.decode()
