"""Requests in flight, by session and id: two with one id at once would leave the first without an answer for ever."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass, field

import mcp_types as types

from mcp_bridge.request import Exchange
from mcp_bridge.transports.errors import rpc_error

CLOSING_SECONDS = 2.0
"""How long a request waits for the response before it, with its id, to be closed."""


Place = tuple[str, str]


@dataclass(eq=False)
class Ticket:
    """An id that is taken, until the handler has ended and the response was sent, whichever is later.

    `answered`: the HTTP response says nothing of the result, as on HTTP+SSE, so the handler's end alone frees the id.
    """

    taken: dict[Place, Ticket]
    place: Place
    exchange: Exchange
    answered: bool
    freed: asyncio.Event = field(default_factory=asyncio.Event)

    def done(self) -> None:
        """The HTTP response is over."""
        self.answered = True
        self.free()

    def free(self) -> None:
        if self.answered and not self.exchange.running and not self.freed.is_set():
            self.freed.set()
            del self.taken[self.place]


class InFlight:
    """The ids that are taken, of all sessions of one event loop."""

    def __init__(self) -> None:
        self._taken: dict[Place, Ticket] = {}

    async def take(self, session: str, id: types.RequestId, exchange: Exchange, *, answered: bool = False) -> Ticket:
        """Take an id for an exchange. Raises Answered with 400 and -32600 while a request with this id is in flight."""
        # The SDK tells ids apart by their text: 1 and "1" are one to it.
        place = (session, str(id))
        before = self._taken.get(place)
        if before is not None and before.exchange.ended:
            await _closed(before)
        if place in self._taken:
            raise rpc_error(400, "A request with this id is in flight.", id=id)
        ticket = self._taken[place] = Ticket(self._taken, place, exchange, answered)
        exchange.on_end = ticket.free
        return ticket

    def __len__(self) -> int:
        return len(self._taken)


async def _closed(before: Ticket) -> None:
    """A client may have read its result before the response that brought it is closed here; that takes a moment."""
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(before.freed.wait(), CLOSING_SECONDS)
