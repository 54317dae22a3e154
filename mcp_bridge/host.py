"""One host for each event loop, in place of the ASGI lifespan that Daphne does not have.

A host task owns what lives as long as the loop: the session manager with its task group must be entered and left in
one and the same task, once. It starts with the first request, or with the lifespan event of a server that sends one,
and stops with that event, or when Twisted's reactor stops.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

logger = logging.getLogger(__name__)

T = TypeVar("T")
STOP_SECONDS = 2.0


@dataclass
class _Life(Generic[T]):
    """What runs on one loop."""

    ready: asyncio.Future[T]
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None


class LoopHost(Generic[T]):
    """Keeps `open()` entered on each running loop, and gives what it yields. `open` is called anew for each loop."""

    def __init__(self, open: Callable[[], AbstractAsyncContextManager[T]]) -> None:
        self._open = open
        self._lives: WeakKeyDictionary[asyncio.AbstractEventLoop, _Life[T]] = WeakKeyDictionary()

    async def state(self) -> T:
        """What `open()` yielded on this loop; started at first use, and again when it has died."""
        loop = asyncio.get_running_loop()
        life = self._lives.get(loop)
        if life is None or life.task is None or life.task.done():
            life = self._lives[loop] = _Life(ready=loop.create_future())
            # A context of its own: the first request's must not live as long as the host.
            life.task = loop.create_task(self._run(life), name="mcp-host", context=contextvars.Context())
            _stop_with_reactor(loop, self.aclose)
        # A first request that is cancelled must not take the start with it.
        return await asyncio.shield(life.ready)

    async def aclose(self) -> None:
        """End the host of this loop: streams are closed, sessions forgotten. Nothing happens where none runs."""
        life = self._lives.pop(asyncio.get_running_loop(), None)
        if life is None or life.task is None:
            return
        life.stop.set()
        _, running = await asyncio.wait({life.task}, timeout=STOP_SECONDS)
        for task in running:
            task.cancel()

    async def _run(self, life: _Life[T]) -> None:
        try:
            async with self._open() as state:
                life.ready.set_result(state)
                await life.stop.wait()
        except Exception as error:
            logger.exception("the MCP host ended")
            if not life.ready.done():
                life.ready.set_exception(error)


def _stop_with_reactor(loop: asyncio.AbstractEventLoop, close: Callable[[], Any]) -> None:
    """Under Daphne: close before the reactor stops, so that streams end as streams and no task is left behind."""
    reactor: Any = sys.modules.get("twisted.internet.reactor")
    if reactor is None or getattr(reactor, "_asyncioEventloop", None) is not loop:
        return
    from twisted.internet.defer import Deferred

    def before_shutdown() -> Any:
        return Deferred.fromFuture(asyncio.ensure_future(close(), loop=loop))

    reactor.addSystemEventTrigger("before", "shutdown", before_shutdown)
