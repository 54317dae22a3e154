#!/usr/bin/env python
"""What an agent sees: reads the four resources of Lens, searches the bazaar, inspects a result, looks at its budget.

    .venv/bin/python examples/agent.py [--url URL] [--query WORDS]

URL and key come from the variables MCP_URL and MCP_KEY, else from var/run.json of a `make run` that is up. Nothing of
the platform is imported: this is the official MCP client alone, so it may be copied into a project of your own.
The exit status is 0 when everything was answered.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp.types import TextResourceContents

RUN_FILE = Path(__file__).resolve().parent.parent / "var" / "run.json"
RESOURCES = ("lens://pairs", "lens://venues", "lens://openapi.json", "lens://status")
SECONDS = 30
SEVERAL = 3

Json = dict[str, Any]


class Refused(Exception):
    """The server answered, and the answer was no."""


def main() -> int:
    parser = argparse.ArgumentParser(description="Look around in a Lens Bazaar as an agent does.")
    parser.add_argument("--url", help="MCP endpoint (default: MCP_URL, else that of var/run.json)")
    parser.add_argument("--query", default="weather", help="what to search for (default: %(default)s)")
    options = parser.parse_args()
    run = _run_file()
    url = options.url or os.environ.get("MCP_URL") or run.get("mcpUrl")
    key = os.environ.get("MCP_KEY") or run.get("agentKey")
    if not url or not key:
        parser.error("set MCP_URL and MCP_KEY, or start the platform with `make run` and come back")
    try:
        asyncio.run(asyncio.wait_for(look_around(url, key, options.query), SECONDS))
    except Exception as error:
        print(f"failed: {'; '.join(_reasons(error))}", file=sys.stderr)
        return 1
    return 0


async def look_around(url: str, key: str, query: str) -> None:
    """Everything in order. Raises what the client raises, and Refused for a tool's error."""
    headers = {"Authorization": f"Bearer {key}"}
    async with (
        httpx2.AsyncClient(
            headers=headers, timeout=SECONDS, trust_env=False, event_hooks={"response": [look_at_status]}
        ) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        about = client.server_info
        name = f"{about.name} {about.version}".strip() if about else "a server without a name"
        print(f"connected to {name} at {url}, MCP {client.protocol_version}")
        await read_resources(client)
        await list_tools(client)
        await inspect(client, await search(client, query))
        await look_at_budget(client)


async def look_at_status(response: httpx2.Response) -> None:
    """The client's own error for a refused key does not say that it was the key."""
    if response.status_code in (401, 403):
        raise Refused(f"the server answered {response.status_code}: it does not accept this key")


async def read_resources(client: Client) -> None:
    for uri in RESOURCES:
        result = await client.read_resource(uri)
        content = result.contents[0]
        if not isinstance(content, TextResourceContents):
            raise Refused(f"{uri} is no text")
        meta = content.meta or {}
        print(f"\nread {uri}, {len(content.text.encode())} bytes")
        print(f"  version       {meta.get('version', '-')}")
        print(f"  lastModified  {meta.get('lastModified', '-')}")
        for line in describe(uri, json.loads(content.text)):
            print(f"  {line}")


def describe(uri: str, payload: Json) -> Iterator[str]:
    """What a payload says, in a few lines."""
    if uri == "lens://pairs":
        yield f"on {payload['network']}"
        yield from (f"pair {pair['pairKey']}" for pair in payload["pairs"][:SEVERAL])
    elif uri == "lens://venues":
        for venue in payload["venues"][:SEVERAL]:
            yield f"venue {venue['key']}, {'enabled' if venue['enabled'] else 'off'}: {venue['source']}"
    elif uri == "lens://openapi.json":
        yield f"{payload['info']['title']} {payload['info']['version']}, {len(payload['paths'])} paths"
    else:
        yield f"network {payload['network']}, {payload['watchedPairs']} pair(s) watched"


async def list_tools(client: Client) -> None:
    tools = (await client.list_tools()).tools
    print(f"\n{len(tools)} tools: {', '.join(tool.name for tool in tools)}")


async def search(client: Client, query: str) -> str | None:
    """Returns the id of the first result."""
    found = await call(client, "search_paid_resources", {"query": query, "limit": SEVERAL})
    for item in found["resources"]:
        price = item["prices"][0]
        print(f"  {item['title']}, by {item['seller']['name']}")
        print(f"  {item['method'] or item['tool']} {item['url']}")
        print(f"  {price['amount']} {price['asset']} on {price['network']}")
    if not found["resources"]:
        print("  nothing is listed under these words")
        return None
    first: str = found["resources"][0]["id"]
    return first


async def inspect(client: Client, resource_id: str | None) -> None:
    if resource_id is None:
        return
    found = await call(client, "inspect_resource", {"resourceId": resource_id})
    terms = found["paymentRequirements"]
    print(f"  {terms['amount']} units of {terms['asset']}")
    print(f"  to {terms['payTo']} by the scheme {terms['scheme']}")
    print(f"  input: {', '.join(found['inputSchema'].get('properties', {})) or 'none'}")
    verified = "proved" if found["seller"]["domainVerified"] else "not proved"
    print(f"  the seller's domain is {verified}")


async def look_at_budget(client: Client) -> None:
    budget = (await call(client, "inspect_budget", {}))["budget"]
    asset = budget["asset"] or "no asset"
    print(f"  at most {budget['perCallMaxAmount'] or 'nothing'} a call, in {asset}")
    print(
        f"  at most {budget['dailyMaxAmount'] or 'nothing'} a day, {budget['remainingToday'] or 'nothing'} of it left"
    )
    print(f"  allowed on {', '.join(budget['allowedNetworks']) or 'no network'}")


async def call(client: Client, name: str, arguments: Json) -> Json:
    """The structured result of a tool. Raises Refused with the tool's code and message."""
    print(f"\ncall {name} {json.dumps(arguments)}")
    result = await client.call_tool(name, arguments)
    answer: Json = result.structured_content or {}
    if result.is_error:
        error = answer.get("error", {})
        raise Refused(f"{name} answered {error.get('code', 'an error')}: {error.get('message', 'no reason given')}")
    return answer


def _run_file() -> Json:
    try:
        content = json.loads(RUN_FILE.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _reasons(error: BaseException) -> Iterator[str]:
    """What went wrong, out of the groups that concurrent code wraps it in. Never a header: the key is in one."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _reasons(inner)
    elif isinstance(error, MCPError):
        yield f"{error.message} (code {error.code})"
    elif isinstance(error, Refused):
        yield str(error)
    else:
        yield f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


if __name__ == "__main__":
    raise SystemExit(main())
