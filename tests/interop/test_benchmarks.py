"""The benchmarks measure what they say, in a small way; how fast it is, is not judged on a machine of any kind."""

from __future__ import annotations

import asyncio
import json
import os
import urllib.error
import urllib.request
from typing import Any

import pytest
from stellar_sdk import Keypair

from benchmarks import settling, verification
from benchmarks.measuring import Measured, count_of, measure, print_memory, print_table, together
from benchmarks.over_http import Facilitator, over_http, serving_theirs
from benchmarks.paying import Bench, cpu_seconds, memory, replaying
from lensproject.core.stellar.rpc import Node as StellarNode
from tests.interop.conftest import Ledger
from tests.interop.facilitator import facilitator_rows
from tests.interop.node import Node
from tests.servers.fixtures import StartWebServer


@pytest.fixture
def bench(node: Node, ledger: Ledger) -> Bench:
    facilitator = Keypair.random()
    ledger.sandbox.friendbot(facilitator.public_key)
    return Bench(ledger.sandbox, node, facilitator, ledger.seller)


@pytest.fixture
def ours(start_web_server: StartWebServer, ledger: Ledger) -> Facilitator:
    server = start_web_server("daphne", facilitator_rows(ledger.sandbox))
    return Facilitator("ours", f"{server.url}/facilitator", server.process.pid)


def test_verifications_and_refusals_are_measured_beside_the_reference(bench: Bench, ledger: Ledger) -> None:
    payload = asyncio.run(bench.payment(ledger.payer()))
    rows = asyncio.run(verification.in_process(bench, bench.ledger.url, payload, 2))
    assert [(row.name, other is not None) for row, other in rows] == [
        ("verify, one after the other: ours", True),
        ("verify, one after the other: TypeScript without its Horizon look-up", False),
        ("verify, 16 at a time: ours", True),
        ("verify, 16 at a time: TypeScript without its Horizon look-up", False),
        ("verify, one after the other: TypeScript", False),
        ("its Horizon look-up, refused at once", False),
        ("refuse another amount: ours", True),
        ("refuse another amount: TypeScript", False),
        ("refuse XDR cut short: ours", True),
        ("refuse XDR cut short: TypeScript", False),
        ("refuse a signature that is not the payer's: ours", False),
    ]
    assert all(row.count and row.cpu > 0 for row, _ in rows)


def test_a_payment_that_is_refused_stops_the_measuring(bench: Bench, ledger: Ledger) -> None:
    payload = asyncio.run(bench.payment(ledger.payer()))
    terms = {**bench.terms().write(), "amount": "10001"}

    async def step() -> None:
        async with StellarNode(bench.ledger.url) as node:
            await verification.ours(bench, node, payload, terms, "valid")()

    with pytest.raises(AssertionError, match="wrong_amount, not valid"):
        asyncio.run(step())


def test_both_facilitators_are_measured_over_http(
    bench: Bench, ours: Facilitator, ledger: Ledger, capsys: pytest.CaptureFixture[str]
) -> None:
    payer, theirs = ledger.payer(), serving_theirs(bench, bench.ledger.url)
    payload = asyncio.run(bench.payment(payer))
    rows = asyncio.run(over_http(ours, theirs, payload, bench.terms().write(), count=2, at_once=2))
    assert [row.name for row, _ in rows] == [
        f"POST /verify, {many} at a time: {who}" for many in (1, 2) for who in ("ours", "TypeScript")
    ]
    assert [row.count for row, _ in rows] == [6, 6, 6, 6]

    found = asyncio.run(settling.settle(bench, ours, payer, count=2, at_once=2))
    other = asyncio.run(settling.settle(bench, theirs, payer, count=1, at_once=1))
    other.failures.append("settle_exact_stellar_transaction_submission_failed")
    assert (len(found.times), found.failures) == (2, [])
    assert ledger.sandbox.balance(payer.public_key) == 10_000_000 - 3 * 10_000
    settling.print_settled([(found, other)])
    table = capsys.readouterr().out.splitlines()
    assert [line.split()[:9] for line in table[1:3]] == [
        ["POST", "/settle,", "2", "at", "a", "time:", "ours", "2", "0"],
        ["POST", "/settle,", "1", "at", "a", "time:", "TypeScript", "1", "1"],
    ]
    assert table[3] == "failed: settle_exact_stellar_transaction_submission_failed"


def test_the_replaying_node_asks_once_and_keeps_the_answer(ledger: Ledger) -> None:
    with replaying(ledger.sandbox.url) as (url, pid):
        first = asked(url, 1, "getLatestLedger")
        ledger.sandbox.step(3)
        again = asked(url, 2, "getLatestLedger")
        assert memory(pid) > 0
    assert (first["id"], again["id"]) == (1, 2)
    assert first["result"] == again["result"]
    with pytest.raises(urllib.error.URLError):
        asked(url, 3, "getLatestLedger")


def asked(url: str, number: int, method: str) -> dict[str, Any]:
    body = json.dumps({"jsonrpc": "2.0", "id": number, "method": method}).encode()
    with urllib.request.urlopen(url, body, timeout=5) as answer:  # noqa: S310 - loopback
        found = json.loads(answer.read())
    assert isinstance(found, dict)
    return found


def test_a_benchmark_takes_one_count() -> None:
    assert count_of([], "usage", 8) == 8
    assert count_of(["3"], "usage", 8) == 3


@pytest.mark.parametrize("arguments", [["many"], ["0"], ["-1"], ["1", "2"]])
def test_other_arguments_end_it_with_its_usage(arguments: list[str]) -> None:
    with pytest.raises(SystemExit, match=r"^usage$"):
        count_of(arguments, "usage", 8)


def test_every_step_is_done_and_timed() -> None:
    done = []

    async def step() -> None:
        await asyncio.sleep(0)
        done.append(1)

    clock = iter([10.0, 12.5])
    found = asyncio.run(measure("steps", step, count=7, at_once=3, cpu_clock=lambda: next(clock)))
    assert (len(done), found.count, found.cpu) == (7, 7, 2.5)
    assert cpu_seconds(os.getpid()) > 0


def test_rates_are_by_time_and_by_cpu_time() -> None:
    rounds = [Measured("x", 2.0, 0.5, [1.0, 3.0], 5), Measured("x", 2.0, 0.5, [2.0, 4.0], 7)]
    whole = together(rounds)
    assert (whole.a_second, whole.per_core, whole.memory) == (1.0, 4.0, 7)
    assert (whole.percentile(50), whole.percentile(99)) == (3.0, 4.0)


def test_the_table_has_the_ratio_by_cpu_time(capsys: pytest.CaptureFixture[str]) -> None:
    quick, slow = Measured("quick", 1.0, 0.5, [1.0, 2.0]), Measured("slow", 1.0, 1.5, [3.0, 4.0])
    print_table([(quick, slow), (slow, None)])
    print_memory({"quick": 64 * 1024 * 1024})
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[1:3] == [
        ["quick", "2", "4", "2.00", "2.00", "3.0", "×"],
        ["slow", "2", "1", "4.00", "4.00"],
    ]
    assert lines[-1] == ["quick", "64"]
