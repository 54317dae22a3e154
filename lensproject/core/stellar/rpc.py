"""A lean client of Stellar RPC (JSON-RPC 2.0 over HTTP): kept connections, every answer bounded in time and size.

A node is what an operator configured, so its address is not checked here; redirects and the environment's proxies are
not followed. A client belongs to the event loop on which it is used first.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import aiohttp

from lensproject.core.outside import refuse_inside_transaction
from lensproject.core.stellar import answers
from lensproject.core.stellar.faults import NodeAnswer, NodeAway, NodeGarbage

_OVERLOADED = frozenset({429, 502, 503, 504})
_HEADERS = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}


@dataclass(frozen=True)
class Bounds:
    """What an answer may take: seconds to connect, between two reads and in all, bytes, connections at a time."""

    connect: float = 2.0
    read: float = 5.0
    total: float = 10.0
    size: int = 4 * 1024 * 1024
    connections: int = 32

    def timeout(self) -> aiohttp.ClientTimeout:
        return aiohttp.ClientTimeout(total=self.total, sock_connect=self.connect, sock_read=self.read)


class Node:
    """One Stellar RPC node. Every method raises NodeAway, NodeGarbage or NodeAnswer, and TransactionOpen."""

    def __init__(self, url: str, bounds: Bounds | None = None) -> None:
        self._url = url
        self._bounds = bounds or Bounds()
        self._session: aiohttp.ClientSession | None = None
        self._ids = itertools.count(1)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """End the kept connections. The next question opens new ones."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def latest_ledger(self) -> answers.Ledger:
        return answers.read_ledger(await self.ask("getLatestLedger"))

    async def entries(self, keys: Sequence[str]) -> answers.Entries:
        """Ledger entries by their keys (base64 XDR of LedgerKey), at most 200; absent and ended ones are left out."""
        return answers.read_entries(await self.ask("getLedgerEntries", {"keys": list(keys)}))

    async def simulate(self, envelope: str) -> answers.Simulation:
        """Simulate an envelope (base64 XDR): recording when its operation has no authorisations, else enforcing."""
        return answers.read_simulation(await self.ask("simulateTransaction", {"transaction": envelope}))

    async def send(self, envelope: str) -> answers.Sent:
        """Submit a signed envelope, once. After a fault with `may_have_arrived` only its hash tells what became of
        it.
        """
        return answers.read_sent(await self._once("sendTransaction", {"transaction": envelope}))

    async def transaction(self, hash: str) -> answers.Found:
        return answers.read_found(await self.ask("getTransaction", {"hash": hash}))

    async def fees(self) -> answers.Fees:
        return answers.read_fees(await self.ask("getFeeStats"))

    async def network(self) -> answers.NetworkInfo:
        return answers.read_network(await self.ask("getNetwork"))

    async def health(self) -> answers.Health:
        return answers.read_health(await self.ask("getHealth"))

    async def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """The `result` object of a question that changes nothing. One that met a kept connection which the node had
        closed meanwhile is asked once more.
        """
        try:
            return await self._once(method, params)
        except NodeAway as fault:
            if not isinstance(fault.__cause__, aiohttp.ServerDisconnectedError | ConnectionResetError):
                raise
        return await self._once(method, params)

    async def _once(self, method: str, params: dict[str, Any] | None) -> dict[str, Any]:
        await refuse_inside_transaction()
        id = next(self._ids)
        question: dict[str, Any] = {"jsonrpc": "2.0", "id": id, "method": method}
        if params is not None:
            question["params"] = params
        try:
            status, raw = await self._post(method, json.dumps(question).encode())
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            raise NodeAway(f"{method}: the node cannot be reached", may_have_arrived=False) from error
        except TimeoutError as error:
            raise NodeAway(f"{method}: the node did not answer in time") from error
        except (aiohttp.ClientError, OSError) as error:
            raise NodeAway(f"{method}: the connection to the node broke off") from error
        return _result(method, id, status, raw)

    async def _post(self, method: str, body: bytes) -> tuple[int, bytes]:
        if self._session is None:
            connector = aiohttp.TCPConnector(limit=self._bounds.connections)
            self._session = aiohttp.ClientSession(
                connector=connector, timeout=self._bounds.timeout(), cookie_jar=aiohttp.DummyCookieJar()
            )
        async with self._session.post(self._url, data=body, headers=_HEADERS, allow_redirects=False) as response:
            return response.status, await self._bounded(method, response)

    async def _bounded(self, method: str, response: aiohttp.ClientResponse) -> bytes:
        chunks, size = [], 0
        async for chunk in response.content.iter_any():
            size += len(chunk)
            if size > self._bounds.size:
                raise NodeGarbage(f"{method}: the answer is longer than {self._bounds.size} bytes")
            chunks.append(chunk)
        return b"".join(chunks)


def _result(method: str, id: int, status: int, raw: bytes) -> dict[str, Any]:
    if status in _OVERLOADED:
        raise NodeAway(f"{method}: the node answers HTTP {status}")
    try:
        answer = json.loads(raw, object_pairs_hook=_distinct, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise NodeGarbage(f"{method}: the answer (HTTP {status}) is not JSON") from None
    if not isinstance(answer, dict) or answer.get("jsonrpc") != "2.0" or answer.get("id") != id:
        raise NodeGarbage(f"{method}: the answer (HTTP {status}) is no JSON-RPC answer to the question")
    error = answer.get("error")
    if isinstance(error, dict):
        code = error.get("code")
        raise NodeAnswer(method, code if isinstance(code, int) else 0, str(error.get("message", ""))[:500])
    result = answer.get("result")
    if status != 200 or not isinstance(result, dict):
        raise NodeGarbage(f"{method}: the answer (HTTP {status}) has no result")
    return result


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key twice")
    return found


def _no_constant(name: str) -> None:
    raise ValueError(name)
