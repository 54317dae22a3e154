"""9.10: an id is taken while its request is in flight."""

from __future__ import annotations

import json

import pytest

from mcp_bridge.request import Exchange
from mcp_bridge.transports.errors import Answered
from mcp_bridge.transports.sessions import InFlight


def taken(flight: InFlight, session: str, id: int | str) -> bool:
    """Whether a second request is refused; an id that was free is free again afterwards."""
    try:
        flight.take(session, id, Exchange()).done()
    except Answered as answered:
        return answered.response.status_code == 400
    return False


def test_9_10_an_id_is_taken_once_in_a_session() -> None:
    flight = InFlight()
    flight.take("s", 1, Exchange())
    assert taken(flight, "s", 1)
    assert not taken(flight, "s", 2)
    assert not taken(flight, "other", 1)


def test_9_10_the_second_is_told_why_under_its_own_id() -> None:
    flight = InFlight()
    flight.take("s", 1, Exchange())
    with pytest.raises(Answered) as answered:
        flight.take("s", 1, Exchange())
    assert json.loads(bytes(answered.value.response.body)) == {
        "jsonrpc": "2.0",
        "id": 1,
        "error": {"code": -32600, "message": "A request with this id is in flight."},
    }


def test_9_10_a_number_and_its_text_are_one_id_to_the_sdk() -> None:
    flight = InFlight()
    flight.take("s", 1, Exchange())
    assert taken(flight, "s", "1")


@pytest.mark.parametrize("first", ["response", "handler"])
def test_9_10_it_is_free_when_both_handler_and_response_are_over(first: str) -> None:
    flight = InFlight()
    exchange = Exchange()
    ticket = flight.take("s", 1, exchange)
    exchange.begin()
    steps = [ticket.done, exchange.end] if first == "response" else [exchange.end, ticket.done]
    steps[0]()
    assert taken(flight, "s", 1)
    steps[1]()
    assert len(flight) == 0


def test_9_10_a_request_whose_handler_never_began_frees_its_id_with_its_response() -> None:
    flight = InFlight()
    flight.take("s", 1, Exchange()).done()
    assert not taken(flight, "s", 1)


def test_9_10_where_the_response_says_nothing_the_handlers_end_frees_the_id() -> None:
    flight = InFlight()
    exchange = Exchange()
    flight.take("s", 1, exchange, answered=True)
    exchange.begin()
    assert taken(flight, "s", 1)
    exchange.end()
    assert len(flight) == 0


def test_the_refused_second_does_not_free_the_firsts_id() -> None:
    flight = InFlight()
    flight.take("s", 1, Exchange())
    with pytest.raises(Answered):
        flight.take("s", 1, Exchange())
    assert len(flight) == 1
