"""What a handler is given: the validated parameters, who asks, and what was said beside the call."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, TypeVar

from django.conf import settings

from lensproject.core import clock
from lensproject.core.callers import ANONYMOUS, Caller
from lensproject.core.errors import JSON
from mcp_bridge import configuration

P = TypeVar("P")

EXCHANGE = "mcp_bridge.exchange"
"""The key under which the transports put the Exchange into the ASGI scope."""


@dataclass
class Exchange:
    """One HTTP request as the handlers need to know it. The transport makes it; the handler's end is told to it."""

    caller: Caller = ANONYMOUS
    transport: str = "memory"
    session: str | None = None
    running: bool = False
    ended: bool = False
    on_end: Callable[[], None] | None = None

    def begin(self) -> None:
        self.running = True

    def end(self) -> None:
        """The handler has ended, whether or not the client still waits. Its result is sent after this."""
        self.running = False
        self.ended = True
        if self.on_end is not None:
            self.on_end()


@dataclass(frozen=True)
class ServerIdentity:
    """The group of capabilities that the called one belongs to, and the version of the whole server."""

    name: str
    title: str
    version: str


@dataclass(frozen=True)
class RequestContext:
    """Beside the call: the configured network, the locale, and a clock that tests can set."""

    network: str | None = None
    locale: str = "en"
    clock: Callable[[], datetime] = clock.now

    @classmethod
    def current(cls) -> RequestContext:
        return cls(network=configuration.current().network, locale=settings.LANGUAGE_CODE)


Reporter = Callable[[float, float | None, str | None], Awaitable[None]]


async def _unheard(progress: float, total: float | None, message: str | None) -> None:
    """Progress that nobody asked for."""


@dataclass(frozen=True, kw_only=True)
class Request(Generic[P]):
    """A call. `params` is the validated model of a tool, or a resource's parameters by name.

    `definition` is the registered Tool or Resource; `meta` the `_meta` that the client sent.
    """

    params: P
    definition: Any = None
    server: ServerIdentity = ServerIdentity("", "", "")
    caller: Caller = ANONYMOUS
    meta: Mapping[str, JSON] = field(default_factory=dict)
    context: RequestContext = field(default_factory=RequestContext)
    reporter: Reporter = _unheard
    ended: threading.Event = field(default_factory=threading.Event)

    async def progress(self, done: float, total: float | None = None, message: str | None = None) -> None:
        """Tell the client how far the call is. Says nothing when the client did not ask (MCP, Progress)."""
        await self.reporter(done, total, message)

    @property
    def cancelled(self) -> bool:
        """Whether nobody waits any more. A handler in a thread cannot be interrupted and looks here."""
        return self.ended.is_set()


class ToolRequest(Request[P]):
    """A tool call; `params` is an instance of the tool's input model."""


@dataclass(frozen=True, kw_only=True)
class ResourceRequest(Request[Mapping[str, str]]):
    """A read of `uri`; `uri_template` is set when a template matched it and gave the parameters."""

    uri: str
    uri_template: str | None = None
