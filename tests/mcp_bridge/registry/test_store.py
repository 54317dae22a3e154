"""What the registry takes, refuses and gives back."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from pydantic import BaseModel

from lensproject.core.callers import Caller
from mcp_bridge.registry import Registry, add_resource, add_tool
from mcp_bridge.registry.store import label_of
from tests.mcp_bridge.offering.resources import static
from tests.mcp_bridge.offering.shapes import NameInput
from tests.mcp_bridge.offering.tools import say, wait


class Open(BaseModel):
    """An input that lets unknown arguments through."""

    name: str


def tool(registry: Registry, name: str = "say", **more: Any) -> None:
    add_tool("group", **{"name": name, "description": "Says.", "handler": say, "to": registry, **more})


def resource(registry: Registry, uri: str = "test://static", **more: Any) -> None:
    add_resource("group", **{"uri": uri, "description": "Stands.", "handler": static, "to": registry, **more})


def ids(registry: Registry) -> list[str | None]:
    return [mistake.id for mistake in registry.mistakes]


def test_tools_are_in_order_of_their_names_whatever_the_order_of_registration() -> None:
    registry = Registry()
    for name in ("zebra", "ant", "mouse"):
        tool(registry, name)
    assert [each.name for each in registry.tools] == ["ant", "mouse", "zebra"]


def test_resources_are_in_order_of_their_uris() -> None:
    registry = Registry()
    for uri in ("test://b", "other://z", "test://a"):
        resource(registry, uri)
    assert [each.uri for each in registry.resources] == ["other://z", "test://a", "test://b"]


def test_a_group_is_made_when_it_is_first_named() -> None:
    registry = Registry()
    tool(registry)
    assert [(group.name, group.title) for group in registry.groups] == [("group", "Group")]


def test_a_groups_title_can_be_given_before_or_after() -> None:
    registry = Registry()
    tool(registry)
    registry.add_group("group", title="A good group")
    registry.add_group("group")
    assert registry.group("group").title == "A good group"


def test_a_tools_name_is_taken_once_and_the_first_stays() -> None:
    registry = Registry()
    tool(registry, title="first")
    tool(registry, title="second")
    assert ids(registry) == ["mcp_bridge.E001"]
    assert "registered twice" in registry.mistakes[0].msg
    found = registry.tool("say")
    assert found is not None
    assert found.title == "first"


def test_a_uri_is_taken_once_over_all_groups() -> None:
    registry = Registry()
    resource(registry)
    add_resource("another", uri="test://static", description="Again.", handler=static, to=registry)
    assert ids(registry) == ["mcp_bridge.E002"]


def test_a_replacement_takes_over_and_keeps_uri_and_name() -> None:
    registry = Registry()
    resource(registry, name="standing")
    resource(registry, name="other", title="New source", replace=True)
    assert registry.mistakes == []
    found = registry.resource("test://static")
    assert found is not None
    assert (found.uri, found.name, found.title) == ("test://static", "standing", "New source")


def test_a_replacement_keeps_the_shape() -> None:
    registry = Registry()
    resource(registry, mime_type="application/json")
    resource(registry, mime_type="text/html", replace=True)
    assert ids(registry) == ["mcp_bridge.E006"]
    found = registry.resource("test://static")
    assert found is not None
    assert found.mime_type == "application/json"


def test_a_tool_can_be_replaced_too() -> None:
    registry = Registry()
    tool(registry, title="first")
    tool(registry, title="second", replace=True)
    found = registry.tool("say")
    assert found is not None
    assert (registry.mistakes, found.title) == ([], "second")


def test_replacing_nothing_is_a_mistake_because_the_order_of_apps_is_wrong() -> None:
    registry = Registry()
    resource(registry, replace=True)
    assert ids(registry) == ["mcp_bridge.E003"]


@pytest.mark.parametrize("name", ["", "has space", "a" * 65, "ünicode", "a/b"])
def test_a_tools_name_has_the_protocols_shape(name: str) -> None:
    registry = Registry()
    tool(registry, name)
    assert ids(registry) == ["mcp_bridge.E004"]


@pytest.mark.parametrize("uri", ["", "no-scheme", "test://has space", "test://{template}", "Test://upper"])
def test_a_uri_is_one(uri: str) -> None:
    registry = Registry()
    resource(registry, uri)
    assert ids(registry) == ["mcp_bridge.E004"]


def test_an_input_that_takes_anything_is_a_mistake() -> None:
    registry = Registry()
    tool(registry, input=Open)
    assert ids(registry) == ["mcp_bridge.E005"]
    assert "forbid" in str(registry.mistakes[0].hint)


def test_a_topic_that_nothing_tracks_is_a_mistake_because_its_payload_would_stay_for_ever() -> None:
    registry = Registry()
    resource(registry, topics=("nobody.tracks_this",))
    assert registry.mistakes == []
    assert [problem.id for problem in registry.problems()] == ["mcp_bridge.E007"]


def test_a_coroutine_cannot_answer_for_topics() -> None:
    registry = Registry()
    resource(registry, handler=wait, topics=("nobody.tracks_this",))
    assert ids(registry) == ["mcp_bridge.E008"]


def test_a_server_refuses_to_start_with_mistakes_and_names_all() -> None:
    registry = Registry()
    tool(registry)
    tool(registry)
    resource(registry, replace=True)
    with pytest.raises(ImproperlyConfigured) as refused:
        registry.refuse_problems()
    assert "mcp_bridge.E001" in str(refused.value)
    assert "mcp_bridge.E003" in str(refused.value)


def test_a_registry_without_mistakes_lets_the_server_start(offered: Registry) -> None:
    offered.refuse_problems()
    assert offered.problems() == []


def test_the_scopes_are_those_that_something_needs(offered: Registry) -> None:
    assert offered.scopes == ["write"]


def test_what_is_unknown_is_none() -> None:
    registry = Registry()
    assert registry.tool("say") is None
    assert registry.resource("test://static") is None


def test_a_capability_is_for_who_has_its_scope() -> None:
    registry = Registry()
    tool(registry, scope="write", input=NameInput)
    found = registry.tool("say")
    assert found is not None
    assert not found.is_for(Caller("a", "k", frozenset({"read"})))
    assert found.is_for(Caller("a", "k", frozenset({"write"})))


def test_the_default_group_is_the_label_of_the_handlers_app() -> None:
    from mcp_bridge.registry.store import Registry as inside

    assert label_of(inside.add_group) == "mcp_bridge"
    assert label_of(say) == "tests"
