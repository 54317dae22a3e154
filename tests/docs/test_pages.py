"""What is offered is described: tools and resources, permissions and roles, checks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import get_commands

from lensproject import checks
from lensproject.api import api
from lensproject.desk.roles import ROLES
from lensproject.environment import ROOT
from mcp_bridge.registry import registry

OURS = ("core", "mcp_bridge", "bazaar", "payments")


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def test_every_tool_is_described() -> None:
    assert len(registry.tools) >= 4
    assert [tool.name for tool in registry.tools if f"`{tool.name}`" not in page("mcp.md")] == []


def test_every_resource_is_described() -> None:
    assert len(registry.resources) >= 4
    assert [resource.uri for resource in registry.resources if f"`{resource.uri}`" not in page("mcp.md")] == []


def test_every_permission_of_ours_is_described() -> None:
    own = [
        permission
        for model in apps.get_models()
        if model._meta.app_label in OURS
        for permission, _ in model._meta.permissions
    ]
    assert own
    assert [permission for permission in own if f"`{permission}`" not in page("admin.md")] == []


def test_every_role_is_described() -> None:
    assert [role for role in ROLES if role not in page("admin.md")] == []


def test_every_system_check_is_described() -> None:
    source = Path(checks.__file__).read_text(encoding="utf-8")
    ids = set(re.findall(r'id="(lens\.[EW]\d{3})"', source))
    assert len(ids) >= 14  # Else the ids are written in another way, and nothing is compared.
    assert set(re.findall(r"lens\.[EW]\d{3}", page("settings.md"))) == ids


def test_every_path_of_the_api_is_described() -> None:
    described = page("rest.md")
    for path in api.get_openapi_schema(path_prefix="api/")["paths"]:
        assert f"`{path}`" in described


def commands_in(text: str) -> Iterator[str]:
    yield from re.findall(r"manage\.py ([a-z_]+)", text)


@pytest.mark.parametrize("file", [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))], ids=relative)
def test_commands_that_are_mentioned_are_there(file: Path) -> None:
    there = {*get_commands(), "help"}
    assert [command for command in commands_in(file.read_text(encoding="utf-8")) if command not in there] == []
