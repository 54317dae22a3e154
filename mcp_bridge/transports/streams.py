"""Open streams and the keys they were opened with: a stream ends when its key does.

A key is checked at each request, and a stream is one request for hours. While any is open, a task looks once a sweep
interval whether its key still stands; that costs a look-up in memory, and the database only when some key changed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from starlette.types import Message, Receive

from lensproject.core.callers import ANONYMOUS, Caller
from mcp_bridge import configuration

logger = logging.getLogger(__name__)

Check = Callable[[], Awaitable[Caller | None]]
DISCONNECT: Message = {"type": "http.disconnect"}


@dataclass(eq=False)
class Stream:
    """One open stream. `check` gives its caller anew, None when the key has ended."""

    check: Check
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    def receive(self, receive: Receive) -> Receive:
        """A `receive` that says that the client has left when the key has ended, which ends the response in order."""

        async def either() -> Message:
            waiting = [asyncio.ensure_future(receive()), asyncio.ensure_future(self.ended.wait())]
            try:
                await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                return DISCONNECT if self.ended.is_set() else await waiting[0]  # type: ignore[return-value]
            finally:
                for task in waiting:
                    task.cancel()

        return either


class StreamWatch:
    """The open streams of one event loop."""

    def __init__(self) -> None:
        self._streams: set[Stream] = set()
        self._some = asyncio.Event()

    def __len__(self) -> int:
        return len(self._streams)

    @asynccontextmanager
    async def watching(self, check: Check | None) -> AsyncIterator[Stream]:
        """A stream while it is open; without `check`, nobody's, it is only counted."""
        stream = Stream(check or _always)
        self._streams.add(stream)
        self._some.set()
        try:
            yield stream
        finally:
            self._streams.discard(stream)

    async def run(self) -> None:
        """End streams whose keys have ended, until cancelled."""
        while True:
            if not self._streams:
                self._some.clear()
            await self._some.wait()
            await asyncio.sleep(configuration.current().sweep_interval_ms / 1000)
            for stream in list(self._streams):
                await self._look(stream)

    async def _look(self, stream: Stream) -> None:
        try:
            if await stream.check() is None:
                stream.ended.set()
        except Exception:
            # A database that is away for a moment must not end every stream, nor this task.
            logger.warning("the key of an open stream could not be checked", exc_info=True)


async def _always() -> Caller | None:
    return ANONYMOUS
