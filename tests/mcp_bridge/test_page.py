"""docs/mcp.md says what is so: its example runs, and it knows every check and every setting."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import mcp_types as types
import pytest
from django.contrib.auth.models import Group
from mcp import Client

import mcp_bridge.registry
from lensproject.environment import ROOT, Environment, variable
from mcp_bridge import changes
from mcp_bridge.configuration import Configuration
from mcp_bridge.registry import Registry, resource, tool
from tests.mcp_bridge.memory import with_client

PAGE = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")


def test_the_example_runs(no_groups: None, monkeypatch: pytest.MonkeyPatch) -> None:
    (example,) = re.findall(r"```python\n(.+?)```", PAGE, re.DOTALL)
    registry = Registry()
    monkeypatch.setattr(mcp_bridge.registry, "tool", partial(tool, to=registry))
    monkeypatch.setattr(mcp_bridge.registry, "resource", partial(resource, to=registry))
    Group.objects.create(name="crew")

    async def use(client: Client) -> tuple[Any, Any, str]:
        found = await client.call_tool("count_members", {"name": "crew"})
        missing = await client.call_tool("count_members", {"name": "nobody"})
        (content,) = (await client.read_resource("people://groups")).contents
        assert isinstance(content, types.TextResourceContents)
        return found.structured_content, missing.structured_content, content.text

    with changes.scratch():
        exec(example, {"__name__": "tests.example"})  # noqa: S102 - our own page
        assert registry.problems() == []
        found, missing, text = with_client(registry, use)
    assert found == {"count": 0}
    assert missing["error"]["code"] == "RESOURCE_NOT_FOUND"
    assert text == '{"groups":["crew"]}'


def test_every_check_of_the_offer_is_described() -> None:
    source = "".join(path.read_text() for path in (ROOT / "mcp_bridge" / "registry").glob("*.py"))
    ids = {f"mcp_bridge.{number}" for number in re.findall(r"\b[EW]00\d\b", source)}
    assert len(ids) == 9
    assert ids == set(re.findall(r"mcp_bridge\.[EW]\d{3}", PAGE))


def test_every_setting_that_the_bridge_takes_from_the_environment_is_described() -> None:
    shared = set(Configuration.__dataclass_fields__) & set(Environment.model_fields)
    assert len(shared) >= 10
    assert [variable(name) for name in sorted(shared) if f"`{variable(name)}`" not in PAGE] == []


def test_a_tools_row_names_its_arguments_and_no_others() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| .+ \| (.+) \|$", PAGE, re.MULTILINE))
    offered = {tool.name: set(tool.input_schema.get("properties", {})) for tool in mcp_bridge.registry.registry.tools}
    assert {name: set(re.findall(r"`(\w+)`", rows[name])) for name in offered} == offered
