"""A node on loopback that answers what the test says, for what a real ledger cannot be made to say."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

Answer = Mapping[str, Any] | web.StreamResponse
Script = Answer | Callable[[Mapping[str, Any]], Answer]


@dataclass
class Scripted:
    """`answers` by method: the JSON-RPC result, a whole HTTP response, or a function of the params that gives one."""

    answers: dict[str, Script]
    url: str = ""
    asked: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        question = json.loads(await request.read())
        params = question.get("params", {})
        self.asked.append((question["method"], params))
        script = self.answers[question["method"]]
        answer = script(params) if callable(script) else script
        if isinstance(answer, web.StreamResponse):
            return answer
        return web.json_response({"jsonrpc": "2.0", "id": question["id"], "result": dict(answer)})


@asynccontextmanager
async def scripted(answers: Mapping[str, Script]) -> AsyncIterator[Scripted]:
    """The node, listening until the block ends."""
    node = Scripted(dict(answers))
    async with listening(node.handle) as url:
        node.url = url
        yield node


@asynccontextmanager
async def listening(handle: Callable[[web.Request], Any]) -> AsyncIterator[str]:
    """A server whose every POST goes to `handle`; gives its URL, with a path and a query as operators' keys are in."""
    application = web.Application()
    application.router.add_post("/rpc", handle)
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port = runner.addresses[0][1]
        yield f"http://127.0.0.1:{port}/rpc?key=hidden"
    finally:
        await runner.cleanup()
