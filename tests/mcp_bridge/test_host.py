"""9.2: what lives as long as an event loop, without a lifespan."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from mcp_bridge.host import LoopHost

lives: list[str] = []
request_of = contextvars.ContextVar("request_of", default="nobody")


@asynccontextmanager
async def opened() -> AsyncIterator[str]:
    lives.append(f"opened for {request_of.get()}")
    await asyncio.sleep(0)
    try:
        yield f"state {len(lives)}"
    finally:
        lives.append("closed")


@pytest.fixture(autouse=True)
def _fresh() -> None:
    lives.clear()


def test_9_2_it_starts_with_the_first_use_and_is_one_for_all() -> None:
    host = LoopHost(opened)

    async def use() -> None:
        first, second = await asyncio.gather(host.state(), host.state())
        assert first == second == "state 1"
        await host.aclose()

    asyncio.run(use())
    assert lives == ["opened for nobody", "closed"]


def test_9_2_each_loop_has_its_own() -> None:
    host = LoopHost(opened)

    async def use() -> str:
        state = await host.state()
        await host.aclose()
        return state

    assert [asyncio.run(use()), asyncio.run(use())] == ["state 1", "state 3"]


def test_9_2_a_first_request_that_is_cancelled_does_not_stop_the_start() -> None:
    host = LoopHost(opened)

    async def use() -> None:
        first = asyncio.create_task(host.state())
        await asyncio.sleep(0)
        first.cancel()
        assert await host.state() == "state 1"
        await host.aclose()

    asyncio.run(use())
    assert lives == ["opened for nobody", "closed"]


def test_9_2_the_first_requests_context_does_not_live_on_in_the_host() -> None:
    host = LoopHost(opened)

    async def use() -> None:
        request_of.set("alice")
        await host.state()
        await host.aclose()

    asyncio.run(use())
    assert lives[0] == "opened for nobody"


def test_9_2_after_its_end_it_starts_afresh() -> None:
    host = LoopHost(opened)

    async def use() -> None:
        await host.state()
        await host.aclose()
        assert await host.state() == "state 3"
        await host.aclose()

    asyncio.run(use())


def test_9_2_a_start_that_fails_is_told_to_who_waits_and_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    tries: list[int] = []

    @asynccontextmanager
    async def shaky() -> AsyncIterator[str]:
        tries.append(1)
        if len(tries) == 1:
            raise RuntimeError("not yet")
        yield "up"

    host = LoopHost(shaky)

    async def use() -> None:
        with pytest.raises(RuntimeError, match="not yet"):
            await host.state()
        assert await host.state() == "up"
        await host.aclose()

    asyncio.run(use())
    assert "the MCP host ended" in caplog.text


def test_9_27_a_host_is_ended_by_hand_and_leaves_no_task() -> None:
    host = LoopHost(opened)

    async def use() -> None:
        before = asyncio.all_tasks()
        await host.state()
        await host.aclose()
        assert asyncio.all_tasks() == before

    asyncio.run(use())


def test_closing_where_none_runs_is_nothing() -> None:
    asyncio.run(LoopHost(opened).aclose())
    assert lives == []


def test_a_host_that_does_not_end_by_itself_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcp_bridge.host.STOP_SECONDS", 0.02)

    @asynccontextmanager
    async def stubborn() -> AsyncIterator[str]:
        yield "up"
        try:
            await asyncio.Event().wait()
        finally:
            lives.append("cancelled")

    host = LoopHost(stubborn)

    async def use() -> None:
        await host.state()
        await host.aclose()
        await asyncio.sleep(0)

    asyncio.run(use())
    assert lives == ["cancelled"]
