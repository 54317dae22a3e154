"""What an agent does first, through the official client, over each way in, under Daphne and under uvicorn."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

import mcp_types as types
from mcp.client import Client

from lensproject.version import NAME, VERSION
from tests.mcp_product.clients import WAYS, asking
from tests.mcp_product.conftest import DOCUMENT, Product
from tests.mcp_product.memory import copied
from tests.servers.web import WebServer

URIS = ("lens://openapi.json", "lens://pairs", "lens://status", "lens://venues")
TOOLS = ("inspect_budget", "inspect_resource", "list_supported_networks", "search_paid_resources")


async def resources(client: Client) -> dict[str, Any]:
    """The payload of each resource, after list and read were compared."""
    listed = {str(resource.uri): resource for resource in (await client.list_resources()).resources}
    assert tuple(sorted(listed)) == URIS
    found: dict[str, Any] = {}
    for uri in URIS:
        result = await client.read_resource(uri)
        (content,) = result.contents
        assert isinstance(content, types.TextResourceContents)
        found[uri] = json.loads(content.text)
        assert (content.mime_type, listed[uri].mime_type) == ("application/json", "application/json")
        assert result.meta is not None
        assert result.meta["version"] == f"sha256:{sha256(content.text.encode()).hexdigest()}"
        told, annotations = listed[uri].meta, listed[uri].annotations
        assert told is not None
        assert annotations is not None
        assert told["lastModified"] == annotations.last_modified
        if uri != "lens://status":
            assert told == {**told, "version": result.meta["version"], "lastModified": result.meta["lastModified"]}
        else:
            assert told["version"] != result.meta["version"]
    return found


async def answers(client: Client) -> dict[str, Any]:
    """What each tool answers, in the order in which an agent would ask."""
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert tuple(tools) == TOOLS
    assert all(tool.output_schema and tool.annotations and tool.annotations.read_only_hint for tool in tools.values())
    found: dict[str, Any] = {}
    for name, arguments in (
        ("list_supported_networks", {}),
        ("search_paid_resources", {"query": "weather", "asset": "USDC", "network": "stellar:local", "limit": 10}),
        ("inspect_budget", {}),
    ):
        found[name] = copied(await client.call_tool(name, arguments))
    resource_id = found["search_paid_resources"]["resources"][0]["id"]
    found["inspect_resource"] = copied(await client.call_tool("inspect_resource", {"resourceId": resource_id}))
    return found


def test_an_agent_reads_searches_inspects_and_looks_at_its_budget(server: WebServer, product: Product) -> None:
    for way in WAYS:
        payloads = asking(server, way, product.token, resources)
        assert [pair["pairKey"] for pair in payloads["lens://pairs"]["pairs"]] == [product.pair.key]
        assert [venue["key"] for venue in payloads["lens://venues"]["venues"]] == ["sdex"]
        assert payloads["lens://openapi.json"] == json.loads(DOCUMENT)
        status = payloads["lens://status"]
        assert (status["network"], status["watchedPairs"]) == ("stellar:local", 1)
        assert status["server"] == {"name": NAME, "version": VERSION}
        found = asking(server, way, product.token, answers)
        assert [network["id"] for network in found["list_supported_networks"]["networks"]] == ["stellar:local"]
        assert [resource["id"] for resource in found["search_paid_resources"]["resources"]] == [product.entry.public_id]
        assert found["inspect_resource"]["paymentRequirements"]["amount"] == "5000000"
        assert found["inspect_budget"]["budget"]["agent"]["id"] == product.agent.public_id
        assert found["inspect_budget"]["budget"]["remainingToday"] == "5.00"


def test_bad_input_is_a_tool_error_in_the_one_shape(server: WebServer, product: Product) -> None:
    calls: tuple[tuple[str, dict[str, Any], str], ...] = (
        ("inspect_resource", {"resourceId": "resource_123"}, "RESOURCE_NOT_FOUND"),
        ("search_paid_resources", {"query": "", "limit": 0}, "INVALID_INPUT"),
        ("search_paid_resources", {"query": "", "limit": 10_000}, "INVALID_INPUT"),
        ("search_paid_resources", {"query": "", "page": 2}, "INVALID_INPUT"),
        ("search_paid_resources", {"query": "", "cursor": "not ours"}, "INVALID_INPUT"),
        ("search_paid_resources", {"query": "", "network": "stellar:moon"}, "UNSUPPORTED_NETWORK"),
        ("search_paid_resources", {"query": "", "asset": "MOON"}, "UNSUPPORTED_ASSET"),
        ("inspect_budget", {"agent": "other"}, "INVALID_INPUT"),
    )

    async def refusals(client: Client) -> list[str]:
        found = []
        for name, arguments, _ in calls:
            result = await client.call_tool(name, arguments)
            assert result.is_error
            found.append(copied(result)["error"]["code"])
        return found

    for way in WAYS:
        assert asking(server, way, product.token, refusals) == [code for _, _, code in calls]
    tail = server.tail()
    assert "Traceback" not in tail, tail
