"""Tools: the list that a caller sees, and a call: arguments checked strictly, the result against its schema."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from inspect import isawaitable
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel, ValidationError

from lensproject.core import pool
from lensproject.core.callers import Caller
from lensproject.core.errors import JSON, InvalidInput, Refusal
from mcp_bridge import configuration
from mcp_bridge.handlers import faults
from mcp_bridge.handlers.asking import Asking, Context, common
from mcp_bridge.handlers.cursors import page
from mcp_bridge.registry import Registry, Tool
from mcp_bridge.request import ToolRequest
from mcp_bridge.response import ToolResponse

LIST_TTL_MS = 60_000
"""Tools change with a deployment only."""


class ToolHandlers:
    """`tools/list` and `tools/call` over a registry."""

    def __init__(self, registry: Registry, asking: Asking) -> None:
        self._registry = registry
        self._asking = asking

    async def list_tools(self, ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        """The tools that the caller may use, in order of their names."""
        caller = self._asking.caller(ctx)
        tools = [tool for tool in self._registry.tools if tool.is_for(caller)]
        cursor = params.cursor if params else None
        size = configuration.current().page_size
        shown, after = page(tools, lambda tool: tool.name, name="tools", caller=caller, cursor=cursor, size=size)
        # The list depends on the scopes of the key, so no cache may show it to others.
        entries = [_entry(tool) for tool in shown]
        return types.ListToolsResult(tools=entries, next_cursor=after, ttl_ms=LIST_TTL_MS, cache_scope="private")

    async def call(self, ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        """Run a tool. An unknown one is a protocol error; whatever else goes wrong is a tool error in the one shape."""
        tool = self._registry.tool(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, "Unknown tool", {"name": params.name})
        caller = self._asking.caller(ctx)
        try:
            if tool.scope is not None:
                caller.require(tool.scope)
            return await self._answer(ctx, tool, caller, validated(tool, params.arguments))
        except Refusal as refusal:
            return faults.tool_error(refusal)
        except MCPError:
            raise
        except Exception as error:
            return faults.tool_error(faults.masked(f"tool {tool.name}", error))

    async def _answer(self, ctx: Context, tool: Tool, caller: Caller, params: BaseModel) -> types.CallToolResult:
        ended = threading.Event()
        group = self._registry.group(tool.server)
        request = ToolRequest(params=params, ended=ended, **common(ctx, tool, group, caller))
        response = ToolResponse()
        try:
            response.take(await run(tool, request, response))
        finally:
            ended.set()
        result = response.result()
        check(tool, result)
        return result


async def run(tool: Tool, request: ToolRequest[Any], response: ToolResponse) -> object:
    """A coroutine here; a plain function in the pool, and one that writes where writers wait for each other."""
    if tool.is_async:
        answer = tool.handler(request, response)
    else:
        in_pool = pool.read if tool.read_only else pool.write
        answer = await in_pool(tool.handler, request, response)
    return await answer if isawaitable(answer) else answer


def validated(tool: Tool, arguments: Mapping[str, Any] | None) -> BaseModel:
    """The arguments as the tool's model: nothing is coerced, nothing unknown is let through. Raises InvalidInput."""
    given = dict(arguments or {})
    unstorable: dict[str, JSON] = dict.fromkeys(_with_nul(given), "Text must not hold a NUL character")
    if unstorable:
        raise InvalidInput("The input does not fit the schema.", details={"fields": unstorable})
    try:
        # By way of JSON: strictness then means JSON's types, so that a date is text and an enum its value.
        return tool.input.model_validate_json(json.dumps(given), strict=True, extra="forbid")
    except ValidationError as error:
        raise faults.bad_input(error) from None


def _with_nul(value: object, path: str = "") -> Iterator[str]:
    """Paths of text with U+0000, which PostgreSQL cannot hold."""
    if isinstance(value, str) and "\0" in value:
        yield path or faults.WHOLE
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _with_nul(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _with_nul(item, f"{path}.{index}" if path else str(index))


def check(tool: Tool, result: types.CallToolResult) -> None:
    """Raise ValueError when the handler answered something else than its output schema promises."""
    if tool.result_check is None:
        return
    if result.structured_content is None:
        raise ValueError(f"the tool {tool.name} answered nothing structured")
    mistake = next(tool.result_check.iter_errors(result.structured_content), None)
    if mistake is not None:
        raise ValueError(f"the tool {tool.name} broke its output schema at {mistake.json_path}: {mistake.validator}")


def _entry(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.describe(),
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.read_only,
            destructive_hint=tool.destructive and not tool.read_only,
            idempotent_hint=tool.idempotent or tool.read_only,
            open_world_hint=tool.open_world,
        ),
    )
