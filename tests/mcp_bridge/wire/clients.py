"""The official client on a real server, by each transport that it has."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Literal, TypeVar

import httpx2
from mcp import Client
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

T = TypeVar("T")
Way = Literal["2026-07-28", "2025-11-25", "sse"]
WAYS: tuple[Way, ...] = ("2026-07-28", "2025-11-25", "sse")


def with_client(url: str, token: str, way: Way, use: Callable[[Client], Awaitable[T]]) -> T:
    """What `use` returns, given a connected client that holds `token`."""

    async def connected() -> T | MCPError:
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(headers=headers, timeout=20) as http:
            transport: Any = (
                sse_client(f"{url}/sse", headers=headers)
                if way == "sse"
                else streamable_http_client(f"{url}/mcp", http_client=http)
            )
            async with Client(transport, mode="auto" if way == "2026-07-28" else "legacy") as client:
                try:
                    return await use(client)
                except MCPError as error:
                    return error  # Raised within, the client's task groups would wrap it.

    result = asyncio.run(asyncio.wait_for(connected(), 30))
    if isinstance(result, MCPError):
        raise result
    return result
