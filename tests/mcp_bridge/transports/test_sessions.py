"""9.10: an id is taken while its request is in flight."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable

import pytest
from asgiref.sync import async_to_sync

from mcp_bridge.request import Exchange
from mcp_bridge.transports import sessions
from mcp_bridge.transports.errors import Answered
from mcp_bridge.transports.sessions import InFlight


def run(use: Callable[[InFlight], Awaitable[None]]) -> None:
    async def within() -> None:
        await asyncio.wait_for(asyncio.ensure_future(use(InFlight())), 5)

    async_to_sync(within)()


async def is_refused(flight: InFlight, session: str, id: int | str) -> bool:
    """Whether a second request is refused; an id that was free is free again afterwards."""
    try:
        (await flight.take(session, id, Exchange())).done()
    except Answered as answered:
        return answered.response.status_code == 400
    return False


def test_9_10_an_id_is_taken_once_in_a_session() -> None:
    async def use(flight: InFlight) -> None:
        await flight.take("s", 1, Exchange())
        assert await is_refused(flight, "s", 1)
        assert not await is_refused(flight, "s", 2)
        assert not await is_refused(flight, "other", 1)

    run(use)


def test_9_10_the_second_is_told_why_under_its_own_id() -> None:
    async def use(flight: InFlight) -> None:
        await flight.take("s", 1, Exchange())
        with pytest.raises(Answered) as answered:
            await flight.take("s", 1, Exchange())
        assert json.loads(bytes(answered.value.response.body)) == {
            "jsonrpc": "2.0",
            "id": 1,
            "error": {"code": -32600, "message": "A request with this id is in flight."},
        }

    run(use)


def test_9_10_a_number_and_its_text_are_one_id_to_the_sdk() -> None:
    async def use(flight: InFlight) -> None:
        await flight.take("s", 1, Exchange())
        assert await is_refused(flight, "s", "1")

    run(use)


def test_9_10_while_the_handler_runs_the_end_of_the_response_frees_nothing() -> None:
    async def use(flight: InFlight) -> None:
        exchange = Exchange()
        ticket = await flight.take("s", 1, exchange)
        exchange.begin()
        ticket.done()
        assert await is_refused(flight, "s", 1)
        exchange.end()
        assert len(flight) == 0

    run(use)


def test_9_10_when_the_handler_has_ended_the_next_waits_for_the_response_to_close() -> None:
    """A client reads the result before we have closed the response, and may use the id again at once."""

    async def use(flight: InFlight) -> None:
        exchange = Exchange()
        ticket = await flight.take("s", 1, exchange)
        exchange.begin()
        exchange.end()
        following = asyncio.ensure_future(flight.take("s", 1, Exchange()))
        await asyncio.sleep(0.01)
        assert not following.done()
        ticket.done()
        (await asyncio.wait_for(following, 1)).done()
        assert len(flight) == 0

    run(use)


def test_9_10_of_two_that_wait_one_is_refused() -> None:
    async def use(flight: InFlight) -> None:
        exchange = Exchange()
        ticket = await flight.take("s", 1, exchange)
        exchange.end()
        following = [asyncio.ensure_future(flight.take("s", 1, Exchange())) for _ in range(2)]
        await asyncio.sleep(0)
        ticket.done()
        results = await asyncio.gather(*following, return_exceptions=True)
        assert sorted(type(result).__name__ for result in results) == ["Answered", "Ticket"]

    run(use)


def test_9_10_a_response_that_is_never_closed_holds_its_id(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "CLOSING_SECONDS", 0.02)

    async def use(flight: InFlight) -> None:
        exchange = Exchange()
        await flight.take("s", 1, exchange)
        exchange.end()
        assert await is_refused(flight, "s", 1)

    run(use)


def test_9_10_a_request_whose_handler_never_began_frees_its_id_with_its_response() -> None:
    async def use(flight: InFlight) -> None:
        (await flight.take("s", 1, Exchange())).done()
        assert not await is_refused(flight, "s", 1)

    run(use)


def test_9_10_where_the_response_says_nothing_the_handlers_end_frees_the_id() -> None:
    async def use(flight: InFlight) -> None:
        exchange = Exchange()
        await flight.take("s", 1, exchange, answered=True)
        exchange.begin()
        assert await is_refused(flight, "s", 1)
        exchange.end()
        assert len(flight) == 0

    run(use)


def test_the_refused_second_does_not_free_the_firsts_id() -> None:
    async def use(flight: InFlight) -> None:
        await flight.take("s", 1, Exchange())
        assert await is_refused(flight, "s", 1)
        assert len(flight) == 1

    run(use)
