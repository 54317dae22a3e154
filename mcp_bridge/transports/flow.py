"""What Daphne's `send` lacks: headers that leave at once, and waiting for a client that reads slowly.

Daphne writes the response headers together with the first byte of the body, so that a stream with nothing to say
seems to hang; and it takes whatever it is given into memory (django/daphne issue 170). uvicorn does both right, and
is left alone.
"""

from __future__ import annotations

import asyncio
import functools
import logging
from typing import Any

from starlette.datastructures import Headers
from starlette.types import Message, Send

logger = logging.getLogger(__name__)

OPENING = b": open\r\n\r\n"
"""A comment of an event stream: no event, but bytes."""


class Stalled(OSError):
    """The client has stopped reading and its connection was closed."""


def flushed(send: Send) -> Send:
    """Send a comment right after the headers of an event stream."""

    async def wrapped(message: Message) -> None:
        await send(message)
        if message["type"] == "http.response.start" and _is_event_stream(message):
            await send({"type": "http.response.body", "body": OPENING, "more_body": True})

    return wrapped


def _is_event_stream(message: Message) -> bool:
    return Headers(raw=message["headers"]).get("content-type", "").startswith("text/event-stream")


class _Flow:
    """Twisted's push producer: told when the write buffer of the connection is full, and when it has room again."""

    def __init__(self) -> None:
        self.open = asyncio.Event()
        self.open.set()

    def pauseProducing(self) -> None:
        self.open.clear()

    def resumeProducing(self) -> None:
        self.open.set()

    def stopProducing(self) -> None:
        self.open.set()


def twisted_request(send: Send) -> Any:
    """Daphne's request behind its `send`, a `partial(Server.handle_reply, request)`; None under other servers."""
    if not isinstance(send, functools.partial) or not send.args:
        return None
    request = send.args[0]
    return request if hasattr(request, "registerProducer") and hasattr(request, "channel") else None


class _Pressure:
    """Waits after each part of a body until the client has taken enough of it, for `seconds` at most."""

    def __init__(self, send: Send, request: Any, seconds: float) -> None:
        self._send = send
        self._request = request
        self._seconds = seconds
        self._flow: _Flow | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.body":
            self._follow(bool(message.get("more_body")))
        await self._send(message)
        if self._flow is not None and not self._flow.open.is_set():
            await self._wait(self._flow)

    def _follow(self, more: bool) -> None:
        if more and self._flow is None and not self._request.finished and self._request.channel is not None:
            from twisted.internet.interfaces import IPushProducer
            from zope.interface import directlyProvides

            self._flow = _Flow()
            directlyProvides(self._flow, IPushProducer)
            self._request.registerProducer(self._flow, True)
        elif not more and self._flow is not None:
            if self._request.channel is not None:  # else the client has gone, and Twisted with it
                self._request.unregisterProducer()
            self._flow = None

    async def _wait(self, flow: _Flow) -> None:
        try:
            await asyncio.wait_for(flow.open.wait(), self._seconds)
        except TimeoutError:
            if self._request.channel is not None:
                self._request.channel.forceAbortClient()
            raise Stalled(f"the client has not read for {self._seconds} seconds") from None


_warned: set[float] = set()


def with_backpressure(send: Send, seconds: float) -> Send:
    """Under Daphne, wait for the client; it is disconnected when it does not read for `seconds`."""
    request = twisted_request(send)
    if request is None:
        return send
    _warn_of_timeout(getattr(request.server, "http_timeout", None))
    return _Pressure(send, request, seconds)


def _warn_of_timeout(seconds: float | None) -> None:
    if seconds and seconds not in _warned:
        _warned.add(seconds)
        logger.warning("Daphne runs with --http-timeout %s: every MCP stream ends after that. Leave it unset.", seconds)
