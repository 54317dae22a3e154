"""9.3 and 9.4: headers that leave at once, and a client that reads slowly is waited for."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from starlette.types import Message, Send

from mcp_bridge.transports import flow
from mcp_bridge.transports.flow import OPENING, Stalled, flushed, with_backpressure

STREAM: Message = {
    "type": "http.response.start",
    "status": 200,
    "headers": [(b"content-type", b"text/event-stream; charset=utf-8")],
}


def body(data: bytes, more: bool = True) -> Message:
    return {"type": "http.response.body", "body": data, "more_body": more}


class Server:
    http_timeout: float | None = None


class Channel:
    def __init__(self) -> None:
        self.aborted = False

    def forceAbortClient(self) -> None:
        self.aborted = True


class Request:
    """As Daphne's request: a Twisted consumer, whose producer is paused while its buffer is full."""

    def __init__(self) -> None:
        self.finished = False
        self.channel: Channel | None = Channel()
        self.server = Server()
        self.producer: Any = None
        self.sent: list[bytes] = []
        self.full = False

    def registerProducer(self, producer: Any, streaming: bool) -> None:
        assert streaming
        assert self.producer is None
        self.producer = producer

    def unregisterProducer(self) -> None:
        assert self.channel is not None, "Twisted asks the channel, which it forgets when the client leaves"
        self.producer = None


async def handle_reply(request: Request, message: Message) -> None:
    if message["type"] == "http.response.body":
        request.sent.append(message["body"])
        if request.full and request.producer is not None:
            request.producer.pauseProducing()


def run(use: Callable[[], Awaitable[None]]) -> None:
    async_to_sync(use)()


def test_9_3_a_stream_begins_with_a_comment_and_nothing_else_does() -> None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def use() -> None:
        await flushed(send)(STREAM)
        await flushed(send)({**STREAM, "headers": [(b"content-type", b"application/json")]})

    run(use)
    assert [message.get("body") for message in sent] == [None, OPENING, None]
    assert OPENING.startswith(b":")


def test_9_4_another_servers_send_is_left_alone() -> None:
    async def send(message: Message) -> None: ...

    plain: Send = functools.partial(send)
    assert with_backpressure(send, 1) is send
    assert with_backpressure(plain, 1) is plain


def test_9_4_a_full_buffer_makes_the_sender_wait_until_it_has_room() -> None:
    request = Request()

    async def use() -> None:
        send = with_backpressure(functools.partial(handle_reply, request), 5)
        await send(STREAM)
        await send(body(b"1"))
        request.full = True
        sending = asyncio.ensure_future(send(body(b"2")))
        await asyncio.sleep(0.02)
        assert not sending.done()
        request.producer.resumeProducing()
        await asyncio.wait_for(sending, 1)

    run(use)
    assert request.sent == [b"1", b"2"]


def test_9_4_a_client_that_stopped_reading_is_disconnected() -> None:
    request = Request()
    request.full = True

    async def use() -> None:
        send = with_backpressure(functools.partial(handle_reply, request), 0.02)
        with pytest.raises(Stalled, match="has not read"):
            await send(body(b"1"))

    run(use)
    assert request.channel is not None
    assert request.channel.aborted


def test_9_4_a_client_that_left_frees_the_sender() -> None:
    request = Request()
    request.full = True

    async def use() -> None:
        sending = asyncio.ensure_future(with_backpressure(functools.partial(handle_reply, request), 5)(body(b"1")))
        await asyncio.sleep(0)
        request.producer.stopProducing()
        await asyncio.wait_for(sending, 1)

    run(use)


def test_9_4_the_end_of_a_response_is_not_waited_for_and_gives_the_request_back() -> None:
    request = Request()

    async def use() -> None:
        send = with_backpressure(functools.partial(handle_reply, request), 5)
        await send(body(b"1"))
        assert request.producer is not None
        request.full = True
        await asyncio.wait_for(send(body(b"", more=False)), 1)
        assert request.producer is None

    run(use)


def test_9_4_a_response_in_one_piece_needs_no_producer() -> None:
    request = Request()

    async def use() -> None:
        await with_backpressure(functools.partial(handle_reply, request), 5)(body(b"all", more=False))

    run(use)
    assert (request.sent, request.producer) == ([b"all"], None)


@pytest.mark.parametrize("state", ["finished", "closed"])
def test_9_4_a_connection_that_is_gone_gets_no_producer(state: str) -> None:
    request = Request()
    if state == "finished":
        request.finished = True
    else:
        request.channel = None

    async def use() -> None:
        await with_backpressure(functools.partial(handle_reply, request), 5)(body(b"1"))

    run(use)
    assert request.producer is None


def test_9_4_a_client_that_left_is_no_obstacle_to_the_end_of_its_response() -> None:
    request = Request()

    async def use() -> None:
        send = with_backpressure(functools.partial(handle_reply, request), 5)
        await send(body(b"1"))
        request.channel = None
        await send(body(b"", more=False))

    run(use)
    assert request.sent == [b"1", b""]


def test_9_5_a_timeout_of_the_server_is_warned_of_once(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flow, "_warned", set())
    request = Request()
    request.server.http_timeout = 4
    for _ in range(3):
        with_backpressure(functools.partial(handle_reply, request), 5)
    assert [record.getMessage() for record in caplog.records] == [
        "Daphne runs with --http-timeout 4: every MCP stream ends after that. Leave it unset."
    ]
