"""Each bad request has its stated answer, alike under both servers: JSON, never HTML, never a traceback."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import Group, User

from tests.mcp_bridge.offering import keys, tools
from tests.mcp_bridge.wire.conftest import Issue
from tests.mcp_bridge.wire.raw import (
    ACCEPT,
    ENVELOPE,
    INITIALIZE,
    MODERN,
    Reply,
    headers_of,
    initialized,
    modern,
    rpc,
    send,
    sse_stream,
    until,
)
from tests.servers.web import WebServer

CALL = rpc("tools/call", {"name": "add", "arguments": {"a": 1}})


def checked(reply: Reply) -> Reply:
    """After checking that the body is JSON and says nothing of our insides."""
    assert reply.headers["content-type"] == "application/json", reply
    text = reply.body.decode()
    assert "Traceback" not in text
    assert "pydantic" not in text
    assert reply.json
    return reply


def rpc_code(reply: Reply) -> int:
    assert checked(reply).json["jsonrpc"] == "2.0"
    return int(reply.json["error"]["code"])


def shape_code(reply: Reply) -> str:
    error = checked(reply).json["error"]
    assert set(error) == {"code", "message", "retryable", "details"}
    return str(error["code"])


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/mcp"), ("GET", "/mcp"), ("GET", "/sse"), ("POST", "/messages/")]
)
def test_without_a_key(server: WebServer, method: str, path: str) -> None:
    reply = send(server.port, method, path, headers_of(None), CALL if method == "POST" else None)
    assert (reply.status, shape_code(reply)) == (401, "UNAUTHENTICATED")
    metadata = "http://127.0.0.1:8000/.well-known/oauth-protected-resource/mcp"
    assert reply.headers["www-authenticate"] == f'Bearer resource_metadata="{metadata}", scope="write"'


def test_with_a_wrong_key(server: WebServer) -> None:
    reply = send(server.port, "POST", "/mcp", headers_of("wrong"), CALL)
    assert (reply.status, shape_code(reply)) == (401, "UNAUTHENTICATED")
    assert 'error="invalid_token"' in reply.headers["www-authenticate"]


def test_with_a_revoked_key(server: WebServer, key: str) -> None:
    headers = initialized(server.port, key)
    User.objects.filter(username=keys.digest(key)).update(is_active=False)
    reply = until(lambda: send(server.port, "POST", "/mcp", headers, rpc("ping")), lambda reply: reply.status != 200)
    assert (reply.status, shape_code(reply)) == (401, "UNAUTHENTICATED")


def test_with_an_expired_key(server: WebServer, issue: Issue) -> None:
    reply = send(server.port, "POST", "/mcp", headers_of(issue(expires_at=datetime(2026, 1, 1, tzinfo=UTC))), CALL)
    assert (reply.status, shape_code(reply)) == (401, "UNAUTHENTICATED")


def test_without_the_scope(server: WebServer, issue: Issue) -> None:
    reply = modern(server.port, issue(scopes="read"), "tools/call", name="make_group", arguments={"name": "refused"})
    assert (reply.status, shape_code(reply)) == (403, "PERMISSION_DENIED")
    assert 'scope="write", error="insufficient_scope"' in reply.headers["www-authenticate"]
    assert not Group.objects.filter(name="refused").exists()


def test_without_the_scope_in_a_session(server: WebServer, issue: Issue) -> None:
    headers = initialized(server.port, issue())
    reply = send(server.port, "POST", "/mcp", headers, rpc("resources/read", {"uri": "test://mine"}))
    assert (reply.status, shape_code(reply)) == (403, "PERMISSION_DENIED")


def test_without_the_scope_over_sse(server: WebServer, issue: Issue) -> None:
    token = issue()
    stream, path = sse_stream(server.port, token)
    with stream:
        call = rpc("tools/call", {"name": "make_group", "arguments": {"name": "refused"}})
        reply = send(server.port, "POST", path, headers_of(token), call)
    assert (reply.status, shape_code(reply)) == (403, "PERMISSION_DENIED")


@pytest.mark.parametrize("path", ["/mcp", "/sse", "/messages/", "/.well-known/oauth-protected-resource"])
def test_a_bad_host_and_a_bad_origin(server: WebServer, key: str, path: str) -> None:
    assert rpc_code(reply := send(server.port, "GET", path, headers_of(key, Host="evil.example"))) == -32600
    assert reply.status == 421
    assert rpc_code(reply := send(server.port, "GET", path, headers_of(key, Origin="http://evil.example"))) == -32600
    assert reply.status == 403


@pytest.mark.parametrize("path", ["/mcp", f"/messages/?session_id={'0' * 32}"])
def test_a_body_of_5_mb(server: WebServer, key: str, path: str) -> None:
    reply = send(server.port, "POST", path, headers_of(key), b'{"a": "' + b"x" * 5_000_000 + b'"}')
    assert (reply.status, rpc_code(reply)) == (413, -32600)
    assert reply.json["error"]["data"] == {"limit": 1_048_576}


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/mcp", "GET, POST, DELETE, OPTIONS"),
        ("PATCH", "/mcp/", "GET, POST, DELETE, OPTIONS"),
        ("POST", "/sse", "GET, OPTIONS"),
        ("GET", "/messages/", "POST, OPTIONS"),
        ("DELETE", "/.well-known/oauth-protected-resource/mcp", "GET, OPTIONS"),
    ],
)
def test_a_wrong_method(server: WebServer, key: str, method: str, path: str, allowed: str) -> None:
    reply = send(server.port, method, path, headers_of(key), b"{}")
    assert (reply.status, reply.headers["allow"], rpc_code(reply)) == (405, allowed, -32600)


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_2026_07_28_has_no_stream_and_no_session(server: WebServer, key: str, method: str) -> None:
    reply = send(server.port, method, "/mcp", headers_of(key, Mcp_Protocol_Version=MODERN))
    assert (reply.status, rpc_code(reply)) == (405, -32600)


@pytest.mark.parametrize("path", ["/mcp", f"/messages/?session_id={'0' * 32}"])
@pytest.mark.parametrize(
    ("kind", "body", "status", "code"),
    [
        ("text/plain", b"{}", 415, -32600),
        ("application/json", b"", 400, -32700),
        ("application/json", b"{nonsense", 400, -32700),
        ("application/json", b"[" * 9000, 400, -32700),
        ("application/json", b"[]", 400, -32600),
        ("application/json", b'{"jsonrpc": "2.0"}', 400, -32600),
    ],
)
def test_a_body_that_is_no_message(
    server: WebServer, key: str, path: str, kind: str, body: bytes, status: int, code: int
) -> None:
    reply = send(server.port, "POST", path, headers_of(key, Content_Type=kind), body)
    assert (reply.status, rpc_code(reply)) == (status, code)


def test_a_client_that_accepts_neither(server: WebServer, key: str) -> None:
    legacy = send(server.port, "POST", "/mcp", headers_of(key, Accept="text/html"), INITIALIZE)
    assert (legacy.status, rpc_code(legacy)) == (406, -32600)
    headers = headers_of(key, Accept="text/html", Mcp_Protocol_Version=MODERN, Mcp_Method="tools/list")
    newer = send(server.port, "POST", "/mcp", headers, rpc("tools/list", {"_meta": ENVELOPE}))
    assert (newer.status, rpc_code(newer)) == (406, -32600)


@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
def test_a_session_that_is_missing_or_unknown(server: WebServer, key: str, method: str) -> None:
    body = CALL if method == "POST" else None
    missing = send(server.port, method, "/mcp", headers_of(key), body)
    assert (missing.status, rpc_code(missing)) == (400, -32600)
    unknown = send(server.port, method, "/mcp", headers_of(key, Mcp_Session_Id="0" * 32), body)
    assert (unknown.status, rpc_code(unknown)) == (404, -32600)


def test_the_session_of_another_key(server: WebServer, key: str, issue: Issue) -> None:
    headers = initialized(server.port, key)
    theirs = {**headers, "Authorization": f"Bearer {issue(scopes='write')}"}
    for method, body in (("POST", CALL), ("GET", None), ("DELETE", None)):
        reply = send(server.port, method, "/mcp", theirs, body)
        assert (reply.status, rpc_code(reply)) == (404, -32600)
    assert send(server.port, "POST", "/mcp", headers, CALL).status == 200


def test_a_session_that_was_ended(server: WebServer, key: str) -> None:
    headers = initialized(server.port, key)
    assert send(server.port, "DELETE", "/mcp", headers).status == 200
    reply = send(server.port, "POST", "/mcp", headers, CALL)
    assert (reply.status, rpc_code(reply)) == (404, -32600)


@pytest.mark.parametrize(
    ("session", "status"),
    [("", 400), ("?session_id=zz", 400), ("?session_id=%0aFORGED", 400), (f"?session_id={'0' * 32}", 404)],
)
def test_an_sse_session_that_is_none(server: WebServer, key: str, session: str, status: int) -> None:
    reply = send(server.port, "POST", f"/messages/{session}", headers_of(key), CALL)
    assert (reply.status, rpc_code(reply)) == (status, -32600)


def test_the_sse_session_of_another_key(server: WebServer, key: str, issue: Issue) -> None:
    stream, path = sse_stream(server.port, key)
    with stream:
        reply = send(server.port, "POST", path, headers_of(issue()), INITIALIZE)
        assert (reply.status, rpc_code(reply)) == (404, -32600)
        assert send(server.port, "POST", path, headers_of(key), INITIALIZE).status == 202


def test_an_unknown_method_and_an_unknown_version(server: WebServer, key: str) -> None:
    reply = modern(server.port, key, "resources/paint")
    assert (reply.status, rpc_code(reply)) == (404, -32601)
    headers = headers_of(key, Mcp_Protocol_Version="2031-01-01", Mcp_Method="tools/list")
    body = rpc("tools/list", {"_meta": {**ENVELOPE, "io.modelcontextprotocol/protocolVersion": "2031-01-01"}})
    reply = send(server.port, "POST", "/mcp", headers, body)
    assert (reply.status, rpc_code(reply)) == (400, -32022)
    assert MODERN in reply.json["error"]["data"]["supported"]


@pytest.mark.parametrize(
    "headers",
    [{}, {"Mcp_Method": "tools/list"}, {"Mcp_Method": "tools/call", "Mcp_Name": "say"}],
    ids=lambda h: str(len(h)),
)
def test_headers_that_do_not_say_what_the_body_says(server: WebServer, key: str, headers: dict[str, str]) -> None:
    body = rpc("tools/call", {"name": "add", "arguments": {"a": 1}, "_meta": ENVELOPE})
    reply = send(server.port, "POST", "/mcp", headers_of(key, Mcp_Protocol_Version=MODERN, **headers), body)
    assert (reply.status, rpc_code(reply)) == (400, -32020)


def test_9_26_parameters_that_are_none(server: WebServer, key: str) -> None:
    headers = initialized(server.port, key)
    reply = send(server.port, "POST", "/mcp", headers, rpc("tools/call", {"name": 5}))
    error = reply.result["error"]
    assert (error["code"], list(error["data"]["fields"])) == (-32602, ["params.name"])


def test_a_cursor_that_is_not_ours(server: WebServer, key: str) -> None:
    reply = modern(server.port, key, "resources/list", cursor="MTA=")
    assert (reply.status, rpc_code(reply)) == (400, -32602)


def test_9_9_an_exception_of_a_handler_says_nothing(server: WebServer, key: str) -> None:
    headers = initialized(server.port, key)
    for body in (rpc("tools/call", {"name": "fail"}), rpc("resources/read", {"uri": "test://failing"})):
        reply = send(server.port, "POST", "/mcp", headers, body)
        assert tools.SECRET not in reply.body.decode()
        assert "correlationId" in reply.body.decode()
    reply = modern(server.port, key, "tools/call", name="fail", arguments={})
    assert tools.SECRET not in reply.body.decode()


def test_what_is_not_ours_is_djangos(server: WebServer) -> None:
    """9.16: an unmatched path is a 404 of Django and not a fault of the router."""
    assert send(server.port, "GET", "/nowhere").status == 404
    assert send(server.port, "GET", "/mcp/more").status == 404
    assert send(server.port, "GET", "/healthz").body == b"ok"


def test_9_18_a_root_path_that_the_client_chose(server: WebServer, key: str) -> None:
    """Daphne takes it from this header, and Channels' router would answer it with 500."""
    reply = send(server.port, "POST", "/mcp", {**headers_of(key), "Daphne-Root-Path": "/evil"}, INITIALIZE)
    assert reply.status == 200
    stream, path = sse_stream(server.port, key)
    stream.close()
    assert path.startswith("/messages/")


def test_a_preflight(server: WebServer) -> None:
    headers = {"Origin": f"http://127.0.0.1:{server.port}", "Access-Control-Request-Method": "POST"}
    reply = send(server.port, "OPTIONS", "/mcp", headers)
    assert (reply.status, reply.headers["access-control-allow-origin"]) == (204, headers["Origin"])
    assert "Mcp-Session-Id" in reply.headers["access-control-allow-headers"]


def test_metadata_is_for_everybody(server: WebServer) -> None:
    for path in ("/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"):
        reply = send(server.port, "GET", path)
        assert (reply.status, reply.json["scopes_supported"]) == (200, ["write"])


def test_many_bad_things_at_once_answer_the_first(server: WebServer) -> None:
    headers: dict[str, Any] = {"Host": "evil.example", "Accept": ACCEPT, "Content-Type": "text/plain"}
    assert send(server.port, "PUT", "/mcp", headers, b"x" * 10).status == 421
