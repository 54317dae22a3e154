"""Who is let in, and what others are told."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import mcp_types as types
import pytest
from asgiref.sync import async_to_sync
from django.db import OperationalError

from lensproject.core import clock
from lensproject.core.callers import ANONYMOUS, Caller
from mcp_bridge.registry import Registry
from mcp_bridge.request import EXCHANGE, Exchange
from mcp_bridge.transports import access
from mcp_bridge.transports.errors import Answered
from tests.mcp_bridge.asgi import scope_of
from tests.mcp_bridge.offering import keys

WRITER = Caller("agent", "key_7", frozenset({"write"}))
METADATA = 'resource_metadata="https://shop.example/.well-known/oauth-protected-resource/mcp"'


@pytest.fixture(autouse=True)
def _public(settings: Any) -> None:
    settings.MCP_BRIDGE = {"public_url": "https://shop.example", "proxy_count": 0, "anonymous_reading": False}


def admit(*authorization: str) -> Caller:
    scope = scope_of("POST", "/mcp", [("authorization", value) for value in authorization])
    caller: Caller = async_to_sync(access.admitted)(scope, ["read", "write"])
    return caller


def refusal(*authorization: str) -> tuple[int, Mapping[str, str], Any]:
    with pytest.raises(Answered) as answered:
        admit(*authorization)
    response = answered.value.response
    return response.status_code, response.headers, json.loads(bytes(response.body))


def test_a_good_key_is_who_it_is(rows: Registry, seam: list[str | None]) -> None:
    keys.issue("good", subject="agent", scopes="write")
    assert admit("Bearer good").subject == "agent"
    assert admit("bearer  good").subject == "agent"


def test_no_key_is_401_with_where_to_get_one() -> None:
    status, headers, body = refusal()
    assert status == 401
    assert headers["www-authenticate"] == f'Bearer {METADATA}, scope="read write"'
    assert body["error"] == {
        "code": "UNAUTHENTICATED",
        "message": "This needs an API key: send Authorization: Bearer <key>.",
        "retryable": False,
        "details": {},
    }


@pytest.mark.parametrize("state", ["wrong", "revoked", "expired"])
def test_a_key_that_does_not_stand_is_401_and_invalid(rows: Registry, seam: list[str | None], state: str) -> None:
    user = keys.issue("revoked")
    user.is_active = False
    user.save()
    keys.issue("expired", expires_at=datetime(2026, 1, 1, tzinfo=UTC))
    with clock.frozen(datetime(2026, 1, 1, tzinfo=UTC)):
        status, headers, body = refusal(f"Bearer {state}")
    assert (status, body["error"]["code"]) == (401, "UNAUTHENTICATED")
    assert headers["www-authenticate"] == f'Bearer {METADATA}, scope="read write", error="invalid_token"'


@pytest.mark.parametrize("value", ["Basic Z29vZA==", "Bearer", "Bearer ", "Bearer a b", "good", "Bearer gööd", ""])
def test_what_is_no_bearer_token_is_not_looked_up(seam: list[str | None], value: str) -> None:
    scope = scope_of("POST", "/mcp")
    scope["headers"].append((b"authorization", value.encode()))
    with pytest.raises(Answered) as answered:
        async_to_sync(access.admitted)(scope, [])
    assert answered.value.response.status_code == 401
    assert seam == []


def test_two_keys_at_once_are_none(seam: list[str | None]) -> None:
    assert refusal("Bearer one", "Bearer two")[0] == 401
    assert seam == []


def test_a_key_in_the_query_is_none(seam: list[str | None]) -> None:
    with pytest.raises(Answered):
        async_to_sync(access.admitted)(scope_of("POST", "/mcp?access_token=good&token=good"), [])
    assert seam == []


def test_reading_without_a_key_is_a_setting(settings: Any, rows: Registry, seam: list[str | None]) -> None:
    settings.MCP_BRIDGE = {**settings.MCP_BRIDGE, "anonymous_reading": True}
    assert admit() == ANONYMOUS
    assert refusal("Bearer wrong")[0] == 401


def test_a_database_that_is_away_is_503_and_not_a_wrong_key(monkeypatch: pytest.MonkeyPatch) -> None:
    async def away(token: str, address: str | None) -> None:
        raise OperationalError("connection to 10.0.0.9 failed")

    monkeypatch.setattr(access, "authenticate", away)
    status, headers, body = refusal("Bearer good")
    assert (status, headers["retry-after"], body["error"]["code"]) == (503, "5", -32603)
    assert "10.0.0.9" not in json.dumps(body)


def request(method: str, **params: Any) -> types.JSONRPCMessage:
    return types.JSONRPCRequest(jsonrpc="2.0", id=1, method=method, params=params)


def require(registry: Registry, caller: Caller, message: types.JSONRPCMessage) -> None:
    access.require_scope(registry, caller, scope_of("POST", "/mcp"), message)


def test_a_scope_that_is_missing_is_403_and_named(offered: Registry) -> None:
    reader = Caller("agent", "key_1", frozenset({"read"}))
    with pytest.raises(Answered) as answered:
        require(offered, reader, request("tools/call", name="make_group"))
    response = answered.value.response
    assert response.status_code == 403
    assert response.headers["www-authenticate"] == f'Bearer {METADATA}, scope="write", error="insufficient_scope"'
    assert json.loads(bytes(response.body))["error"]["code"] == "PERMISSION_DENIED"


def test_a_caller_without_a_key_is_told_to_get_one_with_the_scope(offered: Registry) -> None:
    with pytest.raises(Answered) as answered:
        require(offered, ANONYMOUS, request("resources/read", uri="test://mine"))
    response = answered.value.response
    assert response.status_code == 401
    assert 'scope="write"' in response.headers["www-authenticate"]


def test_who_has_the_scope_or_needs_none_passes(offered: Registry) -> None:
    require(offered, WRITER, request("tools/call", name="make_group"))
    require(offered, ANONYMOUS, request("tools/call", name="add"))
    require(offered, ANONYMOUS, request("tools/call", name="unknown"))


FORWARDED = [("x-forwarded-for", "203.0.113.9, 198.51.100.2"), ("x-forwarded-for", "10.0.0.1")]


@pytest.mark.parametrize(
    ("proxies", "address"),
    [(0, "192.0.2.7"), (1, "10.0.0.1"), (2, "198.51.100.2"), (3, "203.0.113.9"), (4, None)],
)
def test_the_address_is_what_the_trusted_proxies_say(settings: Any, proxies: int, address: str | None) -> None:
    settings.MCP_BRIDGE = {"proxy_count": proxies}
    assert access.address_of(scope_of("GET", "/mcp", FORWARDED)) == address


@pytest.mark.parametrize("headers", [[], [("x-forwarded-for", "")], [("x-forwarded-for", "203.0.113.9, ")]], ids=str)
def test_a_proxy_that_says_nothing_does_not_lend_its_own_address(settings: Any, headers: list[tuple[str, str]]) -> None:
    settings.MCP_BRIDGE = {"proxy_count": 1}
    assert access.address_of(scope_of("GET", "/mcp", headers)) is None


def test_a_connection_without_an_address_has_none() -> None:
    assert access.address_of(scope_of("GET", "/mcp", client=None)) is None


def test_without_a_public_url_the_request_says_where_we_are(settings: Any) -> None:
    settings.MCP_BRIDGE = {"public_url": None}
    scope = scope_of("GET", "/mcp", {"host": "shop.example:8000"}, scheme="https", root_path="/lens")
    assert access.base_url(scope) == "https://shop.example:8000/lens"


def test_the_sdk_gets_the_key_and_the_exchange_but_neither_token_nor_resumption() -> None:
    headers = {"authorization": "Bearer good", "last-event-id": "7", "accept": "text/event-stream"}
    exchange = Exchange(WRITER, "test", "s1")
    handed = access.handed_on(scope_of("GET", "/mcp", headers), WRITER, exchange)
    assert [name for name, _ in handed["headers"]] == [b"accept", b"host"]
    assert handed[EXCHANGE] is exchange
    token = handed["user"].access_token
    assert (token.client_id, token.subject, token.token) == ("key_7", "agent", "")


def test_who_has_no_key_is_no_user_to_the_sdk() -> None:
    assert access.handed_on(scope_of("GET", "/mcp"), ANONYMOUS, Exchange())["user"] is None
    assert access.recheck(scope_of("GET", "/mcp"), ANONYMOUS) is None


def test_an_open_stream_asks_for_its_key_again(rows: Registry, seam: list[str | None]) -> None:
    keys.issue("good", subject="agent")
    scope = scope_of("GET", "/mcp", {"authorization": "Bearer good"})
    check = access.recheck(scope, admit("Bearer good"))
    assert check is not None

    async def again() -> Caller | None:
        return await check()

    caller = async_to_sync(again)()
    assert caller is not None
    assert caller.subject == "agent"
