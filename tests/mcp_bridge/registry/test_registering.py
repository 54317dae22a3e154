"""The functions and decorators by which an app offers something."""

from __future__ import annotations

import pytest

from lensproject.core.callers import ANONYMOUS
from mcp_bridge.registry import Registry, add_tool, resource, tool
from mcp_bridge.request import ResourceRequest, ToolRequest
from mcp_bridge.response import ResourceResponse, ToolResponse
from tests.mcp_bridge.offering.shapes import NameInput


def test_a_decorated_function_stays_what_it_is_and_is_offered() -> None:
    registry = Registry()

    @tool("greeting", name="greet", description="Greets.", input=NameInput, read_only=True, to=registry)
    def greet(request: ToolRequest[NameInput], response: ToolResponse) -> str:
        return f"Hello {request.params.name}"

    found = registry.tool("greet")
    assert found is not None
    assert (found.server, found.handler, found.is_async) == ("greeting", greet, False)
    assert greet(ToolRequest(params=NameInput(name="you")), ToolResponse()) == "Hello you"


def test_a_decorated_resource_is_offered_under_its_uri() -> None:
    registry = Registry()

    @resource("greeting", uri="greet://all", description="Greets all.", to=registry)
    def greetings(request: ResourceRequest, response: ResourceResponse) -> str:
        return "Hello"

    found = registry.resource("greet://all")
    assert found is not None
    assert (found.name, found.mime_type, found.handler) == ("greet://all", "text/plain", greetings)


def test_without_a_group_the_apps_label_is_taken() -> None:
    registry = Registry()

    @tool(name="here", description="Here.", to=registry)
    def here(request: ToolRequest[object], response: ToolResponse) -> str:
        return "here"

    found = registry.tool("here")
    assert found is not None
    assert found.server == "tests"


def test_hints_default_to_the_careful_side() -> None:
    registry = Registry()

    @tool("t", name="unknown", description="Who knows.", to=registry)
    def unknown(request: ToolRequest[object], response: ToolResponse) -> str:
        return ""

    found = registry.tool("unknown")
    assert found is not None
    assert (found.read_only, found.destructive, found.idempotent, found.open_world) == (False, True, False, True)


def test_a_coroutine_is_known_as_one() -> None:
    registry = Registry()

    @tool("t", name="later", description="Later.", to=registry)
    async def later(request: ToolRequest[object], response: ToolResponse) -> str:
        return ""

    found = registry.tool("later")
    assert found is not None
    assert found.is_async


def test_a_misspelt_option_is_refused_where_it_is_written() -> None:
    def nothing(request: object, response: object) -> str:
        return ""

    with pytest.raises(TypeError, match="readonly"):
        add_tool("t", name="x", description="x", handler=nothing, to=Registry(), readonly=True)  # type: ignore[call-arg]


def test_a_description_may_be_asked_for_each_time() -> None:
    registry = Registry()
    texts = iter(["first", "second"])
    add_tool("t", name="x", description=lambda: next(texts), handler=lambda request, response: "", to=registry)
    found = registry.tool("x")
    assert found is not None
    assert [found.describe(), found.describe()] == ["first", "second"]


def test_a_description_that_fails_falls_back_to_the_title(caplog: pytest.LogCaptureFixture) -> None:
    registry = Registry()

    def broken() -> str:
        raise RuntimeError("no text today")

    add_tool("t", name="x", title="The X", description=broken, handler=lambda request, response: "", to=registry)
    found = registry.tool("x")
    assert found is not None
    assert found.describe() == "The X"
    assert "the description of x failed" in caplog.text


def test_a_scope_of_none_is_for_anybody() -> None:
    registry = Registry()
    add_tool("t", name="x", description="x", handler=lambda request, response: "", to=registry)
    found = registry.tool("x")
    assert found is not None
    assert found.is_for(ANONYMOUS)
