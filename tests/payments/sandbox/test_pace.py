"""When ledgers close by themselves, and that one bad ledger does not end the ledger."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from payments.sandbox.faults import Faults
from payments.sandbox.pace import Pace
from tests.payments.sandbox.bench import Bench


async def during(pace: Pace, seconds: float) -> None:
    task = asyncio.create_task(pace.run())
    await asyncio.sleep(seconds)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


def test_nothing_closes_by_itself_at_zero(bench: Bench) -> None:
    before = bench.sequence
    asyncio.run(during(Pace(bench.node, 0), 0.1))
    assert bench.sequence == before


def test_ledgers_follow_each_other(bench: Bench) -> None:
    before = bench.sequence
    asyncio.run(during(Pace(bench.node, 0.02), 0.3))
    assert 3 <= bench.sequence - before <= 15


def test_another_pace_counts_at_once(bench: Bench) -> None:
    before = bench.sequence

    async def changing() -> None:
        pace = Pace(bench.node, 3600)
        task = asyncio.create_task(during(pace, 0.2))
        await asyncio.sleep(0)
        pace.change(0.02)
        await task

    asyncio.run(changing())
    assert bench.sequence > before


def test_a_ledger_that_fails_drops_what_waited_and_the_next_one_comes(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    payer = bench.account(None)
    before = bench.stroops(payer)
    bench.send(bench.build(payer, lambda builder: builder.append_change_trust_op(bench.asset)))
    real, calls = bench.node.store.write, []

    def once(closed: object) -> object:
        calls.append(closed)
        if len(calls) == 1:
            raise OSError("no space left")
        return real(closed)  # type: ignore[arg-type]

    monkeypatch.setattr(bench.node.store, "write", once)
    asyncio.run(during(Pace(bench.node, 0.02), 0.3))
    assert len(calls) > 1
    assert "could not be closed" in caplog.text
    assert (bench.node.waiting, bench.stroops(payer)) == ({}, before)


def test_counted_faults_are_used_up_and_all_can_be_cleared() -> None:
    faults = Faults(busy=2, slow=1.5, behind=3)
    assert [faults.take("busy") for _ in range(3)] == [True, True, False]
    assert faults.take("lost_replies") is False
    faults.clear()
    assert faults == Faults()
