"""Open streams, by hand: when their first byte comes, what ends them, and what their end ends."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from lensproject.core import clock
from tests.mcp_bridge.offering import keys
from tests.mcp_bridge.wire.conftest import Issue
from tests.mcp_bridge.wire.raw import (
    ENVELOPE,
    INITIALIZE,
    MODERN,
    Stream,
    get_stream,
    headers_of,
    initialized,
    modern,
    rpc,
    send,
    sse_stream,
    until,
)
from tests.servers.web import WebServer

SOON = 1.0
"""Daphne alone would send the headers with the first ping, after 15 seconds."""


def test_9_3_the_headers_of_a_stream_that_has_nothing_to_say_come_at_once(server: WebServer, key: str) -> None:
    with get_stream(server.port, initialized(server.port, key)) as stream:
        assert stream.until(b"\r\n\r\n") < SOON
        assert stream.received.startswith(b"HTTP/1.1 200")
        assert stream.until(b": open") < SOON


def test_9_3_the_headers_of_sse_come_at_once_and_say_that_it_is_deprecated(server: WebServer, key: str) -> None:
    headers = {"Authorization": f"Bearer {key}"}
    with Stream(server.port, "GET", "/sse", headers) as stream:
        assert stream.until(b"event: endpoint") < SOON
        head = stream.received.split(b"\r\n\r\n")[0].lower()
    assert b"deprecation: @1742947200" in head
    assert b'link: </mcp>; rel="successor-version"' in head
    assert b"x-accel-buffering: no" in head


def test_sse_answers_on_its_stream_and_says_in_each_answer_that_it_is_deprecated(server: WebServer, key: str) -> None:
    stream, path = sse_stream(server.port, key)
    with stream:
        reply = send(server.port, "POST", path, headers_of(key), INITIALIZE)
        assert (reply.status, reply.headers["deprecation"]) == (202, "@1742947200")
        stream.until(b'"protocolVersion":"2025-11-25"')


@pytest.mark.parametrize("way", ["get", "sse"])
def test_a_key_that_is_revoked_ends_its_open_streams(server: WebServer, key: str, way: str) -> None:
    with _open(server, key, way) as stream:
        User.objects.filter(username=keys.digest(key)).update(is_active=False)
        assert stream.ended_within(3)


@pytest.mark.parametrize("way", ["get", "sse"])
def test_a_key_whose_time_is_over_ends_its_open_streams(server: WebServer, issue: Issue, way: str) -> None:
    token = issue(expires_at=clock.now() + timedelta(seconds=1.5))
    with _open(server, token, way) as stream:
        assert stream.ended_within(4)


def test_the_streams_of_other_keys_go_on(server: WebServer, key: str, issue: Issue) -> None:
    other = issue()
    with _open(server, other, "get") as stream:
        User.objects.filter(username=keys.digest(key)).update(is_active=False)
        assert not stream.ended_within(0.8)


def _open(server: WebServer, token: str, way: str) -> Stream:
    if way == "sse":
        return sse_stream(server.port, token)[0]
    stream = get_stream(server.port, initialized(server.port, token))
    stream.until(b": open")
    return stream


def test_a_second_stream_of_a_session_is_refused(server: WebServer, key: str) -> None:
    headers = initialized(server.port, key)
    with get_stream(server.port, headers) as stream:
        stream.until(b": open")
        reply = send(server.port, "GET", "/mcp", {**headers, "Accept": "text/event-stream"})
        assert (reply.status, reply.json["error"]["code"]) == (409, -32600)


def _ended(server: WebServer, token: str) -> list[str]:
    reply = modern(server.port, token, "tools/call", name="ended", arguments={})
    return list(reply.json["result"]["structuredContent"]["ended"])


def test_2026_07_28_a_client_that_leaves_cancels_its_call(server: WebServer, key: str) -> None:
    before = _ended(server, key)
    headers = headers_of(key, Mcp_Protocol_Version=MODERN, Mcp_Method="tools/call", Mcp_Name="wait")
    meta = {**ENVELOPE, "progressToken": "p"}
    body = rpc("tools/call", {"name": "wait", "arguments": {"seconds": 30}, "_meta": meta})
    with Stream(server.port, "POST", "/mcp", headers, body) as stream:
        stream.until(b'"begun"')
    assert until(lambda: _ended(server, key)[len(before) :], bool) == ["interrupted"]


def test_before_2026_a_client_that_leaves_does_not_cancel_its_call(server: WebServer, key: str) -> None:
    before = _ended(server, key)
    headers = initialized(server.port, key)
    body = rpc("tools/call", {"name": "wait", "arguments": {"seconds": 0.5}, "_meta": {"progressToken": "p"}})
    with Stream(server.port, "POST", "/mcp", headers, body) as stream:
        stream.until(b'"begun"')
    assert until(lambda: _ended(server, key)[len(before) :], bool) == ["finished"]
    assert send(server.port, "POST", "/mcp", headers, rpc("ping")).status == 200


def test_before_2026_a_notification_cancels_a_call(server: WebServer, key: str) -> None:
    before = _ended(server, key)
    headers = initialized(server.port, key)
    body = rpc("tools/call", {"name": "wait", "arguments": {"seconds": 30}, "_meta": {"progressToken": "p"}}, id=7)
    with Stream(server.port, "POST", "/mcp", headers, body) as stream:
        stream.until(b'"begun"')
        cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
        assert send(server.port, "POST", "/mcp", headers, cancel).status == 202
        assert stream.ended_within(3)
    assert until(lambda: _ended(server, key)[len(before) :], bool) == ["interrupted"]


def test_9_7_a_session_cannot_resume_what_another_was_told(server: WebServer, key: str) -> None:
    """Without an event store there is nothing to resume: the stream begins anew, and says nothing of others."""
    theirs, ours = initialized(server.port, key), initialized(server.port, key)
    assert send(server.port, "POST", "/mcp", theirs, rpc("tools/call", {"name": "say"})).result["result"]
    with get_stream(server.port, ours, **{"Last-Event-ID": "1"}) as stream:
        stream.until(b": open")
        assert not stream.ended_within(0.3)
        assert b"data:" not in stream.received


@pytest.mark.parametrize("second", [7, "7"], ids=["same", "as text"])
def test_9_10_a_second_request_with_an_id_in_flight_is_refused_and_the_first_is_answered(
    server: WebServer, key: str, second: int | str
) -> None:
    headers = initialized(server.port, key)
    wait = {"name": "wait", "arguments": {"seconds": 0.6}, "_meta": {"progressToken": "p"}}
    with Stream(server.port, "POST", "/mcp", headers, rpc("tools/call", wait, id=7)) as first:
        first.until(b'"begun"')
        reply = send(server.port, "POST", "/mcp", headers, rpc("tools/call", {"name": "say"}, id=second))
        assert (reply.status, reply.json["id"], reply.json["error"]["code"]) == (400, second, -32600)
        first.until(b'"waited"', 5)
        assert first.ended_within(2)
    again = send(server.port, "POST", "/mcp", headers, rpc("tools/call", {"name": "say"}, id=second))
    assert again.result["result"]["content"][0]["text"] == "just text"


def test_9_10_an_id_stays_taken_while_its_handler_runs_though_the_client_has_left(server: WebServer, key: str) -> None:
    headers = initialized(server.port, key)
    wait = {"name": "wait", "arguments": {"seconds": 1}, "_meta": {"progressToken": "p"}}
    with Stream(server.port, "POST", "/mcp", headers, rpc("tools/call", wait, id=7)) as first:
        first.until(b'"begun"')
    time.sleep(0.2)
    assert send(server.port, "POST", "/mcp", headers, rpc("ping", id=7)).status == 400
    free = until(
        lambda: send(server.port, "POST", "/mcp", headers, rpc("ping", id=7)), lambda reply: reply.status == 200
    )
    assert free.result == {"jsonrpc": "2.0", "id": 7, "result": {}}


def test_an_id_may_be_used_again_as_soon_as_its_answer_was_read(server: WebServer, key: str) -> None:
    headers = initialized(server.port, key)
    for _ in range(30):
        with Stream(server.port, "POST", "/mcp", headers, rpc("ping", id=7)) as stream:
            stream.until(b'"result":{}')


def test_9_10_over_sse_too(server: WebServer, key: str) -> None:
    stream, path = sse_stream(server.port, key)
    with stream:
        send(server.port, "POST", path, headers_of(key), INITIALIZE)
        stream.until(b'"protocolVersion"')
        send(server.port, "POST", path, headers_of(key), {"jsonrpc": "2.0", "method": "notifications/initialized"})
        wait = {"name": "wait", "arguments": {"seconds": 0.6}, "_meta": {"progressToken": "p"}}
        assert send(server.port, "POST", path, headers_of(key), rpc("tools/call", wait, id=7)).status == 202
        stream.until(b'"begun"')
        assert send(server.port, "POST", path, headers_of(key), rpc("ping", id=7)).status == 400
        stream.until(b'"waited"', 5)
        reply = until(
            lambda: send(server.port, "POST", path, headers_of(key), rpc("ping", id=7)),
            lambda reply: reply.status == 202,
        )
        assert reply.status == 202
        stream.until(b'"id":7,"result":{}', 5)
