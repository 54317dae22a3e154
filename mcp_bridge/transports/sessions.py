"""Requests in flight, by session and id: two with one id at once would leave the first without an answer for ever."""

from __future__ import annotations

from dataclasses import dataclass, field

import mcp_types as types

from mcp_bridge.request import Exchange
from mcp_bridge.transports.errors import rpc_error


@dataclass
class InFlight:
    """The ids that are taken. One is free when its handler has ended and its response was sent, whichever is later."""

    _taken: set[tuple[str, str]] = field(default_factory=set)

    def take(self, session: str, id: types.RequestId, exchange: Exchange, *, answered: bool = False) -> Ticket:
        """Take an id for an exchange. Raises Answered with 400 and -32600 while it is taken.

        `answered`: the HTTP response says nothing of the result, as on HTTP+SSE, so the handler's end alone frees the
        id.
        """
        # The SDK tells ids apart by their text: 1 and "1" are one to it.
        place = (session, str(id))
        if place in self._taken:
            raise rpc_error(400, "A request with this id is in flight.", id=id)
        self._taken.add(place)
        ticket = Ticket(self._taken, place, exchange, answered)
        exchange.on_end = ticket.free
        return ticket

    def __len__(self) -> int:
        return len(self._taken)


@dataclass
class Ticket:
    """An id that was taken."""

    taken: set[tuple[str, str]]
    place: tuple[str, str]
    exchange: Exchange
    answered: bool

    def done(self) -> None:
        """The HTTP response is over."""
        self.answered = True
        self.free()

    def free(self) -> None:
        if self.answered and not self.exchange.started:
            self.taken.discard(self.place)
