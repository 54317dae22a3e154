"""What the product offers, asked through the official client in memory: all of the protocol, no HTTP."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import mcp_types as types
from asgiref.sync import async_to_sync
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from lensproject.core.callers import Caller
from mcp_bridge.handlers import build_server
from mcp_bridge.registry import registry
from mcp_bridge.request import Exchange

T = TypeVar("T")
LOCAL = "stellar:local"


def reader(*networks: str, scopes: tuple[str, ...] = ("read",)) -> Caller:
    """A caller with a key of the scope `read`, for the local network unless others are named."""
    return Caller("reader", key_id="key", scopes=frozenset(scopes), networks=frozenset(networks or (LOCAL,)))


def ask(caller: Caller, question: Callable[[Client], Awaitable[T]], *, mode: str = "auto") -> T:
    """One question to a server whose every request comes from `caller`. Raises MCPError as the client does."""

    @async_to_sync
    async def asked() -> T | MCPError:
        async with Client(build_server(registry, exchange=Exchange(caller=caller)), mode=mode) as client:
            try:
                return await question(client)
            except MCPError as error:
                # Raised here it would come out in a group for each task group of the client.
                return error

    answer = asked()
    if isinstance(answer, MCPError):
        raise answer
    return answer


def call(caller: Caller, tool: str, **arguments: Any) -> Any:
    """The structured result of a tool. Fails when it is an error, or when the text copy says something else."""
    result = ask(caller, lambda client: client.call_tool(tool, arguments))
    assert not result.is_error, result.structured_content
    return copied(result)


def refused(caller: Caller, tool: str, **arguments: Any) -> Any:
    """The `error` of a tool that must refuse."""
    result = ask(caller, lambda client: client.call_tool(tool, arguments))
    assert result.is_error, result.structured_content
    shape = copied(result)
    assert list(shape) == ["error"]
    assert set(shape["error"]) == {"code", "message", "retryable", "details"}
    return shape["error"]


def copied(result: types.CallToolResult) -> Any:
    """The structured content, which the text must repeat."""
    (text,) = result.content
    assert isinstance(text, types.TextContent)
    assert json.loads(text.text) == result.structured_content
    return result.structured_content


def read(caller: Caller, uri: str) -> tuple[str, dict[str, Any]]:
    """The text of a resource, and the `_meta` of the result."""
    result = ask(caller, lambda client: client.read_resource(uri))
    (content,) = result.contents
    assert isinstance(content, types.TextResourceContents)
    assert (content.uri, content.mime_type) == (uri, "application/json")
    assert result.meta is not None
    return content.text, dict(result.meta)


def listed(caller: Caller) -> dict[str, types.Resource]:
    """The resources that the caller sees, by URI."""
    found = ask(caller, lambda client: client.list_resources())
    return {str(resource.uri): resource for resource in found.resources}


def tools(caller: Caller) -> dict[str, types.Tool]:
    """The tools that the caller sees, by name."""
    found = ask(caller, lambda client: client.list_tools())
    return {tool.name: tool for tool in found.tools}
