"""What the server says of itself, alike in both eras."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import Client

from mcp_bridge.handlers import build_server
from mcp_bridge.registry import Registry
from tests.mcp_bridge.memory import ERAS, Era, with_client


@pytest.mark.parametrize("era", ERAS)
def test_the_server_names_itself(offered: Registry, era: Era, settings: Any) -> None:
    settings.MCP_BRIDGE = {"name": "shop", "title": "The Shop", "version": "4.5", "instructions": "Look first."}

    async def look(client: Client) -> tuple[Any, str | None]:
        return client.server_info, client.instructions

    info, instructions = with_client(offered, look, era=era)
    assert (info.name, info.title, info.version, instructions) == ("shop", "The Shop", "4.5", "Look first.")


@pytest.mark.parametrize("era", ERAS)
def test_9_8_what_is_announced_is_what_is_delivered(offered: Registry, era: Era) -> None:
    """Nothing sends notifications yet, and so neither era announces any."""

    async def look(client: Client) -> dict[str, Any]:
        return client.server_capabilities.model_dump(exclude_none=True)

    assert with_client(offered, look, era=era) == {
        "resources": {"subscribe": False, "list_changed": False},
        "tools": {"list_changed": False},
    }


def test_9_8_older_clients_are_told_of_changes_once_they_are_delivered(offered: Registry) -> None:
    server = build_server(offered)
    entry = server.get_request_handler("tools/list")
    assert entry is not None
    server.add_request_handler("subscriptions/listen", entry.params_type, entry.handler)
    capabilities = server.create_initialization_options().capabilities
    assert capabilities.resources is not None
    assert capabilities.tools is not None
    assert (capabilities.resources.list_changed, capabilities.tools.list_changed) == (True, True)


def test_9_25_a_tools_schema_is_looked_up_without_listing_all(offered: Registry) -> None:
    lookup = build_server(offered).get_tool_input_schema
    assert lookup is not None
    found = lookup("add")
    assert found is not None
    assert set(found["properties"]) == {"a", "b", "unit", "noteText"}
    assert lookup("nope") is None


@pytest.mark.parametrize("era", ERAS)
def test_an_empty_registry_is_served_too(era: Era) -> None:
    async def look(client: Client) -> tuple[int, int, int]:
        tools = await client.list_tools()
        templates = await client.list_resource_templates()
        return len(tools.tools), len(templates.resource_templates), len((await client.list_resources()).resources)

    assert with_client(Registry(), look, era=era) == (0, 0, 0)
