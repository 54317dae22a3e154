"""Verifications a second: ours beside the TypeScript reference, of one payment, against one node that answers at once.

    .venv/bin/python -m benchmarks.verification [count]

Needs Node.js 20 or newer. `a core` counts the CPU time of the measured process alone, so it hardly depends on what else
the machine does; `times` is the ratio of these to the line that it is compared with. Rounds of both take turns.
"""

from __future__ import annotations

import asyncio
import base64
import os
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from stellar_sdk import Keypair

import benchmarks.configured  # noqa: F401
from benchmarks.measuring import Measured, count_of, measure, print_memory, print_table, together
from benchmarks.over_http import over_http, serving_ours, serving_theirs
from benchmarks.paying import TESTNET, Bench, bench, memory, replaying
from lensproject.core.stellar.rpc import Node
from lensproject.core.x402.wire import PaymentPayload, PaymentRequirements
from payments.x402.verification import Rules, verify

COUNT, ROUNDS, AT_ONCE = 600, 3, 16
REFUSED = "invalid_exact_stellar_payload_"
Json = dict[str, Any]


def ours(bench: Bench, node: Node, payload: Json, requirements: Json, expected: str) -> Callable[[], Awaitable[None]]:
    """One verification from JSON on, as the facilitator does it."""
    rules = Rules(networks=frozenset({TESTNET}), own=frozenset({bench.facilitator.public_key}))

    async def step() -> None:
        document, terms = PaymentPayload.read(payload), PaymentRequirements.read(requirements)
        answer = (await verify(document, terms, node=node, rules=rules, token=bench.token)).response
        if (answer.invalid_reason or "valid") != expected:
            raise AssertionError(f"{answer.invalid_reason}, not {expected}")

    return step


def theirs(bench: Bench, name: str, function: str, **given: Any) -> Measured:
    """The same by the TypeScript class, in its own process."""
    given = {"secret": bench.facilitator.secret, **given}
    found = bench.node.call("benchmark", function, given, seconds=600)
    return Measured(name, found["seconds"], found["cpu"], found["times"], found["memory"])


async def verifications(
    bench: Bench, url: str, payload: Json, count: int, at_once: int, horizon: bool = False
) -> tuple[Measured, Measured]:
    """Rounds of ours and theirs by turns."""
    requirements = bench.terms().write()
    mine, others = [], []
    label = f"verify, {at_once} at a time" if at_once > 1 else "verify, one after the other"
    given = {"rpc": url, "payload": payload, "requirements": requirements, "horizon": horizon, "expected": "valid"}
    async with Node(url) as node:
        step = ours(bench, node, payload, requirements, "valid")
        await measure("warm", step, count=min(count, 50))
        theirs(bench, "warm", "verifying", count=min(count, 100), atOnce=at_once, **given)
        for _ in range(ROUNDS):
            mine.append(await measure(f"{label}: ours", step, count=count, at_once=at_once))
            text = "TypeScript" if horizon else "TypeScript without its Horizon look-up"
            others.append(theirs(bench, f"{label}: {text}", "verifying", count=count, atOnce=at_once, **given))
    return together(mine), together(others)


def spoilt(payload: Json) -> dict[str, tuple[Json, Json, str]]:
    """Payments that are refused without a node, by what is wrong: payload, changes to the terms, reason."""
    raw = bytearray(base64.b64decode(payload["payload"]["transaction"]))
    cut = {**payload, "payload": {"transaction": base64.b64encode(raw[:-8]).decode()}}
    raw[430] ^= 1
    forged = {**payload, "payload": {"transaction": base64.b64encode(raw).decode()}}
    return {
        "another amount": (payload, {"amount": "10001"}, f"{REFUSED}wrong_amount"),
        "XDR cut short": (cut, {}, f"{REFUSED}malformed"),
        "a signature that is not the payer's": (forged, {}, f"{REFUSED}missing_payer_signature"),
    }


async def refusals(bench: Bench, payload: Json, count: int) -> list[tuple[Measured, Measured | None]]:
    """The node does not exist: whoever asks it fails. The reference leaves signatures to the node."""
    nowhere, rows = "http://127.0.0.1:9", list[tuple[Measured, Measured | None]]()
    async with Node(nowhere) as node:
        for name, (document, changes, reason) in spoilt(payload).items():
            requirements = {**bench.terms().write(), **changes}
            mine = await measure(f"refuse {name}: ours", ours(bench, node, document, requirements, reason), count=count)
            if reason.endswith("signature"):
                rows.append((mine, None))
                continue
            given = {"rpc": nowhere, "payload": document, "requirements": requirements, "horizon": False}
            other = theirs(
                bench, f"refuse {name}: TypeScript", "verifying", count=count, atOnce=1, expected=reason, **given
            )
            rows += [(mine, other), (other, None)]
    return rows


async def in_process(bench: Bench, url: str, payload: Json, count: int) -> list[tuple[Measured, Measured | None]]:
    rows: list[tuple[Measured, Measured | None]] = []
    for at_once in (1, AT_ONCE):
        mine, other = await verifications(bench, url, payload, count, at_once)
        rows += [(mine, other), (other, None)]
    fewer = max(count // 4, 1)
    _, whole = await verifications(bench, url, payload, fewer, 1, horizon=True)
    lookup = theirs(bench, "its Horizon look-up, refused at once", "lookup", count=fewer)
    return [*rows, (whole, None), (lookup, None), *await refusals(bench, payload, count)]


def run(folder: Path, count: int) -> None:
    with bench(folder, ledger_seconds=0) as on, replaying(on.ledger.url) as (url, replay):
        payload = asyncio.run(on.payment(on.ledger.funded(Keypair.random())))
        rows = asyncio.run(in_process(on, url, payload, count))
        bare = memory(os.getpid())
        with serving_ours(folder, on, url) as platform:
            reference = serving_theirs(on, url)
            rows += asyncio.run(
                over_http(platform, reference, payload, on.terms().write(), count=count, at_once=AT_ONCE)
            )
            print_table(rows)
            print_memory(
                {
                    "ours in process, with this benchmark in it": bare,
                    "ours over HTTP (Daphne, the whole platform)": memory(platform.pid),
                    "TypeScript, in process and over HTTP": memory(reference.pid),
                    "the ledger": memory(on.ledger.process.pid),
                    "the node that answers at once": memory(replay),
                }
            )


def main(count: int) -> None:
    with tempfile.TemporaryDirectory(prefix="lens-benchmark-") as folder:
        run(Path(folder), count)


if __name__ == "__main__":
    main(count_of(sys.argv[1:], __doc__, COUNT))
