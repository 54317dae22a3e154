"""The official client on our server in one process, without HTTP: what handlers answer, in both eras."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal, TypeVar

from asgiref.sync import async_to_sync
from mcp import Client
from mcp.shared.exceptions import MCPError

from lensproject.core.callers import ANONYMOUS, Caller
from mcp_bridge.handlers import build_server
from mcp_bridge.registry import Registry
from mcp_bridge.request import Exchange

T = TypeVar("T")
Era = Literal["auto", "legacy"]
ERAS: tuple[Era, ...] = ("auto", "legacy")

WRITER = Caller(subject="agent", key_id="key_7", scopes=frozenset({"write"}))


def with_client(
    registry: Registry, use: Callable[[Client], Awaitable[T]], *, caller: Caller = ANONYMOUS, era: Era = "auto"
) -> T:
    """What `use` returns, given a client of `caller`. Database steps run in the test's thread and transaction."""

    async def connected() -> T | MCPError:
        server = build_server(registry, exchange=Exchange(caller))
        async with Client(server, mode=era) as client:
            try:
                return await use(client)
            except MCPError as error:
                return error  # Raised within, the client's task groups would wrap it.

    result = async_to_sync(connected)()
    if isinstance(result, MCPError):
        raise result
    return result
