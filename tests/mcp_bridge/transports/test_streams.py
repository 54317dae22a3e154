"""A stream ends when its key does."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from starlette.types import Message

from lensproject.core.callers import ANONYMOUS, Caller
from mcp_bridge.transports.streams import StreamWatch


@pytest.fixture(autouse=True)
def _soon(settings: Any) -> None:
    settings.MCP_BRIDGE = {"sweep_interval_ms": 10}


async def nothing() -> Message:
    await asyncio.Event().wait()
    raise AssertionError


class Key:
    """A key that can be ended, and counts how often it was asked for."""

    def __init__(self) -> None:
        self.caller: Caller | None = ANONYMOUS
        self.asked = 0
        self._waiting: list[tuple[int, asyncio.Event]] = []

    async def check(self) -> Caller | None:
        self.asked += 1
        for times, event in self._waiting:
            if self.asked >= times:
                event.set()
        return self.caller

    async def was_asked(self, times: int) -> None:
        event = asyncio.Event()
        self._waiting.append((times, event))
        await asyncio.wait_for(event.wait(), 3)


def with_watch(use: Callable[[StreamWatch], Awaitable[None]]) -> None:
    async def run() -> None:
        watch = StreamWatch()
        task = asyncio.create_task(watch.run())
        try:
            await asyncio.wait_for(use(watch), 5)
        finally:
            task.cancel()

    async_to_sync(run)()


def test_a_stream_whose_key_ends_is_told_that_the_client_left() -> None:
    key = Key()

    async def use(watch: StreamWatch) -> None:
        async with watch.watching(key.check) as stream:
            waiting = asyncio.ensure_future(stream.receive(nothing)())
            await key.was_asked(3)
            assert not waiting.done()
            key.caller = None
            assert await waiting == {"type": "http.disconnect"}

    with_watch(use)


def test_what_the_server_says_comes_through() -> None:
    async def message() -> Message:
        return {"type": "http.request", "body": b"x"}

    async def use(watch: StreamWatch) -> None:
        async with watch.watching(None) as stream:
            assert await stream.receive(message)() == {"type": "http.request", "body": b"x"}

    with_watch(use)


def test_a_check_that_fails_ends_nothing(caplog: pytest.LogCaptureFixture) -> None:
    asked: list[int] = []
    thrice = asyncio.Event()

    async def away() -> Caller | None:
        asked.append(1)
        if len(asked) == 3:
            thrice.set()
        raise OSError("database away")

    async def use(watch: StreamWatch) -> None:
        async with watch.watching(away) as stream:
            await asyncio.wait_for(thrice.wait(), 3)
            assert not stream.ended.is_set()

    with_watch(use)
    assert "could not be checked" in caplog.text


def test_nobodys_stream_never_ends_by_itself() -> None:
    async def use(watch: StreamWatch) -> None:
        async with watch.watching(None) as stream:
            await asyncio.sleep(0.05)
            assert not stream.ended.is_set()
            assert len(watch) == 1
        assert len(watch) == 0

    with_watch(use)


def test_without_streams_nothing_is_asked() -> None:
    key = Key()

    async def use(watch: StreamWatch) -> None:
        async with watch.watching(key.check):
            await key.was_asked(1)
        await asyncio.sleep(0.03)
        before = key.asked
        await asyncio.sleep(0.05)
        assert key.asked == before

    with_watch(use)


def test_a_stream_that_is_given_up_leaves_no_task_behind() -> None:
    async def use(watch: StreamWatch) -> None:
        before = len(asyncio.all_tasks())
        async with watch.watching(None) as stream:
            waiting = asyncio.ensure_future(stream.receive(nothing)())
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
        await asyncio.sleep(0)
        assert len(asyncio.all_tasks()) == before

    with_watch(use)
