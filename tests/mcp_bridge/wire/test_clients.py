"""The official Python client under both servers: both eras of Streamable HTTP, and HTTP+SSE."""

from __future__ import annotations

import asyncio
import json
import secrets
from typing import Any

import mcp_types as types
import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import Group
from mcp import Client
from mcp.shared.exceptions import MCPError

from tests.mcp_bridge.wire.clients import WAYS, Way, with_client
from tests.mcp_bridge.wire.conftest import Issue
from tests.servers.web import WebServer

pytestmark = pytest.mark.parametrize("way", WAYS)

MARKED: Any = {"io.lensbazaar/marker": "here"}


def text_of(content: Any) -> str:
    assert isinstance(content, (types.TextContent, types.TextResourceContents))
    return content.text


def test_the_client_gets_the_newest_revision_that_it_can_have(server: WebServer, key: str, way: Way) -> None:
    async def look(client: Client) -> tuple[str, str | None, str | None]:
        info = client.server_info
        assert info is not None
        return client.protocol_version, info.version, client.instructions

    version, ours, instructions = with_client(server.url, key, way, look)
    assert version == ("2026-07-28" if way == "2026-07-28" else "2025-11-25")
    assert (ours, instructions) == ("1.2.3", "Count first.")


def test_tools_are_listed_for_the_key_and_called(server: WebServer, key: str, issue: Issue, way: Way) -> None:
    async def use(client: Client) -> tuple[list[str], Any]:
        names = [tool.name for tool in (await client.list_tools()).tools]
        return names, (await client.call_tool("add", {"a": 40, "b": 2})).structured_content

    names, counted = with_client(server.url, key, way, use)
    assert "make_group" in names
    assert counted == {"total": 42, "unit": "apples", "noteText": None}
    assert "make_group" not in with_client(server.url, issue(), way, use)[0]


def test_bad_arguments_come_back_as_a_tool_error(server: WebServer, key: str, way: Way) -> None:
    async def use(client: Client) -> types.CallToolResult:
        await client.list_tools()  # So that the client checks the answer against the output schema.
        return await client.call_tool("add", {"a": "10", "c": 1})

    result = with_client(server.url, key, way, use)
    assert result.is_error
    assert result.structured_content["error"]["code"] == "INVALID_INPUT"
    assert set(result.structured_content["error"]["details"]["fields"]) == {"a", "c"}
    assert json.loads(text_of(result.content[0])) == result.structured_content


def test_an_unknown_tool_and_an_unknown_uri_are_protocol_errors(server: WebServer, key: str, way: Way) -> None:
    async def call(client: Client) -> None:
        await client.call_tool("nope", {})

    async def read(client: Client) -> None:
        await client.read_resource("test://nope")

    with pytest.raises(MCPError) as unknown:
        with_client(server.url, key, way, call)
    assert (unknown.value.code, unknown.value.data) == (-32602, {"name": "nope"})
    with pytest.raises(MCPError) as nowhere:
        with_client(server.url, key, way, read)
    assert (nowhere.value.code, nowhere.value.data) == (-32602, {"uri": "test://nope"})


def test_a_row_that_changes_is_seen_in_list_and_read_alike(server: WebServer, key: str, way: Way) -> None:
    name = f"group-{secrets.token_hex(4)}"

    async def state(client: Client) -> tuple[Any, ...]:
        listed = {resource.uri: resource for resource in (await client.list_resources()).resources}
        entry = listed["test://groups"]
        result = await client.read_resource("test://groups")
        meta, found = result.meta or {}, entry.meta or {}
        assert entry.annotations is not None
        assert meta["version"] == found["version"] == (result.contents[0].meta or {})["version"]
        assert meta["lastModified"] == found["lastModified"] == entry.annotations.last_modified
        return meta["version"], meta["lastModified"], json.loads(text_of(result.contents[0]))["groups"]

    async def use(client: Client) -> tuple[Any, Any]:
        before = await state(client)
        await sync_to_async(Group.objects.create, thread_sensitive=False)(name=name)
        return before, await state(client)

    before, after = with_client(server.url, key, way, use)
    assert name not in before[2]
    assert name in after[2]
    assert before[0] != after[0]
    assert before[1] < after[1]


def test_the_handler_is_told_session_client_transport_and_revision(server: WebServer, key: str, way: Way) -> None:
    async def use(client: Client) -> Any:
        return (await client.call_tool("whoami", {}, meta=MARKED)).structured_content

    found = with_client(server.url, key, way, use)
    assert (found["subject"], found["scopes"], found["marker"]) == ("agent", ["write"], "here")
    assert (found["clientName"], found["clientVersion"]) == ("mcp", "0.1.0")
    assert found["transport"] == ("sse" if way == "sse" else "streamable-http")
    assert found["protocolVersion"] == ("2026-07-28" if way == "2026-07-28" else "2025-11-25")
    assert (found["session"] is None) == (way == "2026-07-28")


def test_progress_comes_while_the_call_runs(server: WebServer, key: str, way: Way) -> None:
    heard: list[tuple[float, str | None]] = []

    async def use(client: Client) -> str:
        async def hear(progress: float, total: float | None, message: str | None) -> None:
            heard.append((progress, message))

        result = await client.call_tool("wait", {"seconds": 0.1}, progress_callback=hear)
        return text_of(result.content[0])

    assert with_client(server.url, key, way, use) == "waited"
    assert heard == [(0, "begun"), (2, "done")]


def test_every_kind_of_content_arrives(server: WebServer, key: str, way: Way) -> None:
    async def use(client: Client) -> list[str]:
        return [block.type for block in (await client.call_tool("mixed", {})).content]

    assert with_client(server.url, key, way, use) == ["text", "image", "audio", "resource", "resource", "resource_link"]


def test_9_1_slow_queries_of_many_calls_run_beside_each_other(server: WebServer, key: str, way: Way) -> None:
    """On the one thread that asgiref would give them all, these would take 3.2 seconds."""

    async def use(client: Client) -> float:
        loop = asyncio.get_running_loop()
        began = loop.time()
        await asyncio.gather(*(client.call_tool("query", {"seconds": 0.2}) for _ in range(16)))
        return loop.time() - began

    assert with_client(server.url, key, way, use) < 1.6
