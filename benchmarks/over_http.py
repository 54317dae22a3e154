"""Facilitators as processes of their own, asked over HTTP by one client: the platform under Daphne, and the TypeScript
class behind Node's own server.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp

from benchmarks.measuring import Measured, measure, together
from benchmarks.paying import Bench, cpu_seconds
from tests.databases import SqliteDatabases, cloned, migrated_template, pointed_at
from tests.interop.facilitator import facilitator_rows
from tests.servers.web import serving

ROUNDS = 3
Json = dict[str, Any]


@dataclass(frozen=True)
class Facilitator:
    """Where it answers /verify and /settle, and its process."""

    name: str
    url: str
    pid: int

    async def ask(self, client: aiohttp.ClientSession, question: str, payload: Json, requirements: Json) -> Json:
        body = {"x402Version": 2, "paymentPayload": payload, "paymentRequirements": requirements}
        async with client.post(f"{self.url}/{question}", json=body) as answer:
            found = json.loads(await answer.read())
        if answer.status != 200 or not isinstance(found, dict):
            raise AssertionError(f"{self.name} answers {answer.status}: {found}")
        return found


@contextmanager
def serving_ours(folder: Path, bench: Bench, rpc_url: str) -> Iterator[Facilitator]:
    """The platform on a database of its own, open to all, without a limit of requests."""
    databases = SqliteDatabases(folder)
    with cloned(databases, migrated_template(databases)) as clone, pointed_at(clone):
        environment = {**facilitator_rows(bench.ledger, rpc_url=rpc_url), "LENS_LOG_LEVEL": "WARNING"}
        with serving("daphne", database_url=clone.url, var=folder / "var", environment=environment) as server:
            yield Facilitator("ours", f"{server.url}/facilitator", server.process.pid)


def serving_theirs(bench: Bench, rpc_url: str) -> Facilitator:
    """In the Node process of the bench, without its Horizon look-up."""
    given = {"secret": bench.facilitator.secret, "rpc": rpc_url, "horizon": False}
    port = bench.node.call("benchmark", "serve", given)
    return Facilitator("TypeScript", f"http://127.0.0.1:{port}", bench.node.process.pid)


async def over_http(
    ours: Facilitator, theirs: Facilitator, payload: Json, requirements: Json, *, count: int, at_once: int
) -> list[tuple[Measured, Measured | None]]:
    """Rounds of both by turns, one request after the other and many at a time."""
    rows: list[tuple[Measured, Measured | None]] = []
    timeout = aiohttp.ClientTimeout(total=60)
    async with aiohttp.ClientSession(timeout=timeout) as client:
        for many in (1, at_once):
            rounds: dict[str, list[Measured]] = {ours.name: [], theirs.name: []}
            for turn in range(ROUNDS + 1):
                for each in (ours, theirs):
                    found = await _round(client, each, payload, requirements, count, many)
                    if turn:  # The first warms up.
                        rounds[each.name].append(found)
            mine, other = (together(each) for each in rounds.values())
            rows += [(mine, other), (other, None)]
    return rows


async def _round(
    client: aiohttp.ClientSession, whom: Facilitator, payload: Json, requirements: Json, count: int, at_once: int
) -> Measured:
    async def step() -> None:
        answer = await whom.ask(client, "verify", payload, requirements)
        if answer.get("isValid") is not True:
            raise AssertionError(f"{whom.name}: {answer}")

    name = f"POST /verify, {at_once} at a time: {whom.name}"
    return await measure(name, step, count=count, at_once=at_once, cpu_clock=lambda: cpu_seconds(whom.pid))
