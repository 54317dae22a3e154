"""Settlements a second on a ledger that closes each second: ours over HTTP beside the TypeScript reference.

    .venv/bin/python -m benchmarks.settling [count]

Needs Node.js 20 or newer. Both settle from one account of their own, real payments of one payer, first one after the
other, then several at a time. `failed` counts answers without success; their payments are not in the rate.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
from stellar_sdk import Keypair

import benchmarks.configured  # noqa: F401
from benchmarks.measuring import count_of, print_memory
from benchmarks.over_http import Facilitator, serving_ours, serving_theirs
from benchmarks.paying import Bench, bench, memory

COUNT, AT_ONCE, LEDGER_SECONDS = 8, 4, 1.0
Json = dict[str, Any]


@dataclass
class Settled:
    """Seconds that each settlement took, in `seconds` altogether; reasons of the others."""

    name: str
    seconds: float = 0.0
    times: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    @property
    def a_second(self) -> float:
        return len(self.times) / self.seconds

    def percentile(self, share: int) -> float:
        return sorted(self.times)[min(len(self.times) - 1, len(self.times) * share // 100)] if self.times else 0.0


async def settle(bench: Bench, whom: Facilitator, payer: Keypair, *, count: int, at_once: int) -> Settled:
    """Build `count` payments, then settle them, `at_once` of them at the same time."""
    payments = iter([await bench.payment(payer) for _ in range(count)])
    found = Settled(f"POST /settle, {at_once} at a time: {whom.name}")
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=90)) as client:
        began = time.perf_counter()
        await asyncio.gather(*(_settle_all(client, bench, whom, payments, found) for _ in range(at_once)))
        found.seconds = time.perf_counter() - began
    return found


async def _settle_all(
    client: aiohttp.ClientSession, bench: Bench, whom: Facilitator, payments: Iterator[Json], found: Settled
) -> None:
    requirements = bench.terms().write()
    for payment in payments:
        asked = time.perf_counter()
        answer = await whom.ask(client, "settle", payment, requirements)
        if answer["success"]:
            found.times.append(time.perf_counter() - asked)
        else:
            found.failures.append(str(answer.get("errorReason")))


async def compared(bench: Bench, pair: Sequence[Facilitator], payer: Keypair, count: int) -> list[list[Settled]]:
    return [
        [await settle(bench, whom, payer, count=count, at_once=at_once) for whom in pair] for at_once in (1, AT_ONCE)
    ]


def print_settled(pairs: Sequence[Sequence[Settled]]) -> None:
    print(f"{'':42} {'settled':>8} {'failed':>7} {'a second':>9} {'p50 s':>7} {'p99 s':>7} {'times':>6}")
    for mine, other in pairs:
        for each in (mine, other):
            times = f"{mine.a_second / other.a_second:.1f} ×" if each is mine and other.times else ""
            print(
                f"{each.name:42} {len(each.times):8} {len(each.failures):7} {each.a_second:9.2f}"
                f" {each.percentile(50):7.2f} {each.percentile(99):7.2f} {times:>6}"
            )
    for reason in sorted({reason for pair in pairs for each in pair for reason in each.failures}):
        print(f"failed: {reason}")


def run(folder: Path, count: int) -> None:
    with bench(folder, ledger_seconds=LEDGER_SECONDS) as on, serving_ours(folder, on, on.ledger.url) as platform:
        reference = serving_theirs(on, on.ledger.url)
        payer = on.ledger.funded(Keypair.random())
        before = on.ledger.balance(on.seller)
        pairs = asyncio.run(compared(on, (platform, reference), payer, count))
        print_settled(pairs)
        settled = sum(len(each.times) for pair in pairs for each in pair)
        moved = on.ledger.balance(on.seller) - before
        print(f"on the ledger: {moved} units in {settled} settlements of {on.terms().amount}")
        print_memory(
            {
                "ours (Daphne, the whole platform)": memory(platform.pid),
                "TypeScript": memory(reference.pid),
                "the ledger": memory(on.ledger.process.pid),
                "this benchmark": memory(os.getpid()),
            }
        )


def main(count: int) -> None:
    with tempfile.TemporaryDirectory(prefix="lens-benchmark-") as folder:
        run(Path(folder), count)


if __name__ == "__main__":
    main(count_of(sys.argv[1:], __doc__, COUNT))
