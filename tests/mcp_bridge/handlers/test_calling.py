"""Tools as the official client sees them, in both eras."""

from __future__ import annotations

import json
from typing import Any

import mcp_types as types
import pytest
from django.contrib.auth.models import Group
from mcp import Client
from mcp.shared.exceptions import MCPError

from lensproject.core.callers import ANONYMOUS, Caller
from mcp_bridge.registry import Registry
from tests.mcp_bridge.memory import ERAS, WRITER, Era, with_client
from tests.mcp_bridge.offering import tools

pytestmark = [pytest.mark.usefixtures("no_groups"), pytest.mark.parametrize("era", ERAS)]

MARKED: Any = {"io.lensbazaar/marker": "here"}


def called(registry: Registry, era: Era, name: str, arguments: Any = None, caller: Caller = ANONYMOUS) -> Any:
    async def call(client: Client) -> types.CallToolResult:
        return await client.call_tool(name, arguments)

    return with_client(registry, call, caller=caller, era=era)


def refusal(result: types.CallToolResult) -> Any:
    """The error of a tool error, after checking that its text copy says the same."""
    assert result.is_error
    (text,) = result.content
    assert isinstance(text, types.TextContent)
    assert json.loads(text.text) == result.structured_content
    assert set(result.structured_content) == {"error"}
    return result.structured_content["error"]


def test_a_call_answers_structured_content_and_the_same_as_text(offered: Registry, era: Era) -> None:
    result = called(offered, era, "add", {"a": 1, "b": 2, "unit": "pears", "noteText": "two"})
    assert not result.is_error
    assert result.structured_content == {"total": 3, "unit": "pears", "noteText": "two"}
    assert json.loads(result.content[0].text) == result.structured_content


def test_arguments_may_be_left_out_altogether(offered: Registry, era: Era) -> None:
    assert called(offered, era, "say", None).content[0].text == "just text"


@pytest.mark.parametrize(
    ("arguments", "fields"),
    [
        ({}, {"a": "Field required"}),
        ({"a": "10"}, {"a": "Input should be a valid integer"}),
        ({"a": 1.0}, {"a": "Input should be a valid integer"}),
        ({"a": True}, {"a": "Input should be a valid integer"}),
        ({"a": None}, {"a": "Input should be a valid integer"}),
        ({"a": 1001}, {"a": "Input should be less than or equal to 1000"}),
        ({"a": -1}, {"a": "Input should be greater than or equal to 0"}),
        ({"a": 1, "c": 2}, {"c": "Extra inputs are not permitted"}),
        ({"a": 1, "note_text": "x"}, {"note_text": "Extra inputs are not permitted"}),
        ({"a": 1, "unit": "plums"}, {"unit": "Input should be 'apples' or 'pears'"}),
        ({"a": 1, "noteText": 5}, {"noteText": "Input should be a valid string"}),
        ({"a": 1, "noteText": "a\0b"}, {"noteText": "Text must not hold a NUL character"}),
        ({"a": 1, "deep": [{"x": "\0"}]}, {"deep.0.x": "Text must not hold a NUL character"}),
        ({"a": "x", "b": "y"}, {"a": "Input should be a valid integer", "b": "Input should be a valid integer"}),
    ],
)
def test_bad_arguments_are_a_tool_error_that_names_each_field(
    offered: Registry, era: Era, arguments: dict[str, Any], fields: dict[str, str]
) -> None:
    assert refusal(called(offered, era, "add", arguments)) == {
        "code": "INVALID_INPUT",
        "message": "The input does not fit the schema.",
        "retryable": False,
        "details": {"fields": fields},
    }


def test_bad_arguments_do_not_reach_the_handler(offered: Registry, era: Era) -> None:
    refusal(called(offered, era, "make_group", {"name": 5}, WRITER))
    assert not Group.objects.exists()


def test_a_refusal_keeps_its_code_details_and_whether_to_retry(offered: Registry, era: Era) -> None:
    assert refusal(called(offered, era, "refuse")) == {
        "code": "RATE_LIMITED",
        "message": "Slower, please.",
        "retryable": True,
        "details": {"retryAfter": 3},
    }


def test_9_9_an_exception_is_masked_and_logged_under_its_correlation_id(
    offered: Registry, era: Era, caplog: pytest.LogCaptureFixture
) -> None:
    result = called(offered, era, "fail")
    error = refusal(result)
    assert error["code"] == "INTERNAL_ERROR"
    assert tools.SECRET not in result.model_dump_json()
    record = next(record for record in caplog.records if error["details"]["correlationId"] in record.getMessage())
    assert record.exc_info is not None
    assert tools.SECRET in str(record.exc_info[1])


def test_an_answer_that_breaks_the_output_schema_is_a_fault_of_ours(
    offered: Registry, era: Era, caplog: pytest.LogCaptureFixture
) -> None:
    assert refusal(called(offered, era, "break_promise"))["code"] == "INTERNAL_ERROR"
    assert "broke its output schema at $.total: type" in caplog.text


def test_an_unknown_tool_is_a_protocol_error(offered: Registry, era: Era) -> None:
    with pytest.raises(MCPError) as refused:
        called(offered, era, "no_such_tool")
    assert (refused.value.code, refused.value.data) == (-32602, {"name": "no_such_tool"})


def test_a_call_without_its_scope_is_refused_and_does_nothing(offered: Registry, era: Era) -> None:
    reader = Caller("agent", "key_1", frozenset({"read"}))
    error = refusal(called(offered, era, "make_group", {"name": "one"}, reader))
    assert (error["code"], error["details"]) == ("PERMISSION_DENIED", {"scope": "write"})
    assert not Group.objects.exists()


def test_a_call_without_a_key_that_needs_one_says_so(offered: Registry, era: Era) -> None:
    assert refusal(called(offered, era, "make_group", {"name": "one"}))["code"] == "UNAUTHENTICATED"
    assert not Group.objects.exists()


def test_a_call_with_the_scope_is_done_and_carries_its_meta(offered: Registry, era: Era) -> None:
    result = called(offered, era, "make_group", {"name": "one"}, WRITER)
    assert result.structured_content == {"name": "one", "scopes": ["write"]}
    assert result.meta["io.lensbazaar/made"] == "yes"
    assert Group.objects.get().name == "one"


def test_the_handler_knows_who_asks_with_what_and_how(offered: Registry, era: Era) -> None:
    async def call(client: Client) -> Any:
        result = await client.call_tool("whoami", {}, meta=MARKED)
        return result.structured_content, client.protocol_version

    found, version = with_client(offered, call, caller=WRITER, era=era)
    assert found == {
        "subject": "agent",
        "keyId": "key_7",
        "session": None,
        "clientName": "mcp",
        "clientVersion": "0.1.0",
        "transport": "memory",
        "protocolVersion": version,
        "scopes": ["write"],
        "marker": "here",
    }


def test_every_kind_of_content_arrives(offered: Registry, era: Era) -> None:
    kinds = [block.type for block in called(offered, era, "mixed").content]
    assert kinds == ["text", "image", "audio", "resource", "resource", "resource_link"]


def test_progress_is_heard_by_who_asked_for_it(offered: Registry, era: Era) -> None:
    heard: list[tuple[float, float | None, str | None]] = []

    async def call(client: Client) -> None:
        async def hear(progress: float, total: float | None, message: str | None) -> None:
            heard.append((progress, total, message))

        await client.call_tool("wait", {"seconds": 0}, progress_callback=hear)

    with_client(offered, call, era=era)
    assert heard == [(0, 2, "begun"), (2, 2, "done")]


def listed(registry: Registry, era: Era, caller: Caller = ANONYMOUS) -> Any:
    async def list_tools(client: Client) -> types.ListToolsResult:
        return await client.list_tools()

    return with_client(registry, list_tools, caller=caller, era=era)


def test_the_list_is_sorted_and_shows_what_the_caller_may_use(offered: Registry, era: Era) -> None:
    names = [tool.name for tool in listed(offered, era).tools]
    assert names == sorted(names)
    assert "make_group" not in names
    assert "make_group" in [tool.name for tool in listed(offered, era, WRITER).tools]


def test_the_list_is_the_same_each_time(offered: Registry, era: Era) -> None:
    assert listed(offered, era).model_dump() == listed(offered, era).model_dump()


def test_a_listed_tool_says_what_it_is(offered: Registry, era: Era) -> None:
    add = next(tool for tool in listed(offered, era).tools if tool.name == "add")
    assert (add.title, add.description) == ("Add", "Adds.")
    assert add.input_schema["additionalProperties"] is False
    assert [option["title"] for option in add.output_schema["anyOf"]] == ["Sum", "Error"]
    assert add.annotations.model_dump() == {
        "title": "Add",
        "read_only_hint": True,
        "destructive_hint": False,
        "idempotent_hint": True,
        "open_world_hint": False,
    }


def test_a_tool_that_writes_says_so(offered: Registry, era: Era) -> None:
    make = next(tool for tool in listed(offered, era, WRITER).tools if tool.name == "make_group")
    assert (make.annotations.read_only_hint, make.annotations.destructive_hint) == (False, False)


def test_a_description_that_is_a_function_is_asked(offered: Registry, era: Era) -> None:
    whoami = next(tool for tool in listed(offered, era).tools if tool.name == "whoami")
    assert whoami.description == "Says who asks."


def test_a_list_that_depends_on_the_key_is_for_no_shared_cache(offered: Registry, era: Era) -> None:
    result = listed(offered, era)
    if era == "auto":
        assert (result.ttl_ms, result.cache_scope) == (60_000, "private")


def test_pages_together_are_the_whole_list(offered: Registry, era: Era, settings: Any) -> None:
    settings.MCP_BRIDGE = {"page_size": 5}

    async def through(client: Client) -> list[str]:
        names: list[str] = []
        cursor = None
        while True:
            page = await client.list_tools(cursor=cursor)
            assert 0 < len(page.tools) <= 5
            names += [tool.name for tool in page.tools]
            cursor = page.next_cursor
            if cursor is None:
                return names

    assert with_client(offered, through, era=era) == [tool.name for tool in offered.tools if tool.scope is None]


@pytest.mark.parametrize("cursor", ["", "MTA=", "rubbish"])
def test_a_cursor_that_is_not_ours_is_refused(offered: Registry, era: Era, cursor: str) -> None:
    async def list_tools(client: Client) -> None:
        await client.list_tools(cursor=cursor)

    with pytest.raises(MCPError) as refused:
        with_client(offered, list_tools, era=era)
    assert (refused.value.code, refused.value.data) == (-32602, {"field": "cursor"})
