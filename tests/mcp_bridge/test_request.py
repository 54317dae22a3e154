"""What handlers are given."""

from __future__ import annotations

import threading
from dataclasses import FrozenInstanceError
from datetime import UTC, datetime

import pytest
from asgiref.sync import async_to_sync

from lensproject.core import clock
from mcp_bridge.request import Exchange, Request, RequestContext, ResourceRequest, ToolRequest


def test_progress_goes_to_who_reports_it() -> None:
    said: list[tuple[float, float | None, str | None]] = []

    async def report(done: float, total: float | None, message: str | None) -> None:
        said.append((done, total, message))

    request = ToolRequest(params=None, reporter=report)
    async_to_sync(request.progress)(1, 2, "half")
    async_to_sync(request.progress)(2)
    assert said == [(1, 2, "half"), (2, None, None)]


def test_progress_that_nobody_asked_for_is_lost_in_silence() -> None:
    async_to_sync(Request(params=None).progress)(1, 2, "half")


def test_a_request_is_cancelled_when_nobody_waits_any_more() -> None:
    ended = threading.Event()
    request = ToolRequest(params=None, ended=ended)
    assert not request.cancelled
    ended.set()
    assert request.cancelled


def test_a_handler_cannot_change_who_asks() -> None:
    request = ResourceRequest(params={}, uri="test://x")
    with pytest.raises(FrozenInstanceError):
        request.uri = "test://y"  # type: ignore[misc]


def test_the_context_has_a_clock_that_tests_can_set() -> None:
    at = datetime(2026, 1, 2, tzinfo=UTC)
    with clock.frozen(at):
        assert RequestContext.current().clock() == at


def test_the_context_has_the_locale_of_the_site() -> None:
    assert RequestContext.current().locale == "en-gb"


def test_the_end_of_a_handler_is_told_once_it_has_ended() -> None:
    told: list[bool] = []
    exchange = Exchange()
    exchange.on_end = lambda: told.append(exchange.running)
    exchange.begin()
    assert (exchange.running, exchange.ended) == (True, False)
    exchange.end()
    assert told == [False]
    assert exchange.ended
