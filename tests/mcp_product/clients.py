"""The official Python client on each way into a running server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

import httpx2
from mcp.client import Client
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

from tests.servers.web import WebServer

T = TypeVar("T")
PATIENCE = 60
"""Seconds, since the machine may be busy with something else."""

WAYS = ("modern", "legacy", "sse")
"""Streamable HTTP as of 2026-07-28, Streamable HTTP with a session, and HTTP+SSE."""


@asynccontextmanager
async def connected(server: WebServer, way: str, token: str | None) -> AsyncIterator[Client]:
    """A client that has shaken hands. Without a token it sends no key."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    if way == "sse":
        async with Client(sse_client(f"{server.url}/sse", headers=headers, timeout=PATIENCE), mode="legacy") as client:
            yield client
        return
    async with httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as http:
        transport = streamable_http_client(f"{server.url}/mcp", http_client=http)
        async with Client(transport, mode="2026-07-28" if way == "modern" else "legacy") as client:
            yield client


def asking(server: WebServer, way: str, token: str | None, questions: Callable[[Client], Awaitable[T]]) -> T:
    """What `questions` gets to know over one connection."""

    async def asked() -> T:
        async with asyncio.timeout(PATIENCE), connected(server, way, token) as client:
            return await questions(client)

    return asyncio.run(asked())


def status_of(server: WebServer, token: str | None) -> int:
    """The HTTP status of a bare request with this key."""
    headers = {
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "server/discover",
    }
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    about = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": about}}
    return httpx2.post(f"{server.url}/mcp", json=message, headers=headers, timeout=PATIENCE).status_code
