"""What handlers can build."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import mcp_types as types
import pytest
from pydantic import BaseModel, Field

from lensproject.core.errors import InvalidInput
from mcp_bridge.response import Content, ResourceResponse, ToolResponse, to_json


class Point(BaseModel):
    x_axis: int = Field(alias="xAxis")


def test_json_is_compact_and_keeps_order_and_letters() -> None:
    assert to_json({"b": 1, "a": ["é", None, True]}) == '{"b":1,"a":["é",null,true]}'


def test_models_become_json_by_alias_wherever_they_stand() -> None:
    assert to_json({"points": [Point(xAxis=1)], "one": Point(xAxis=2)}) == '{"points":[{"xAxis":1}],"one":{"xAxis":2}}'


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_json_does_not_have_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        to_json({"x": value})


def test_numbers_that_json_would_round_are_refused() -> None:
    with pytest.raises(TypeError):
        to_json({"amount": Decimal("0.1")})


def test_a_tools_parts_follow_one_another() -> None:
    response = ToolResponse().text("one").image(b"\x89P").audio(b"ID3").resource("t://e", "inside", "text/plain").send()
    kinds = [block.type for block in response.result().content]
    assert kinds == ["text", "image", "audio", "resource"]


def test_binary_parts_are_base64() -> None:
    (block,) = ToolResponse().image(b"\x00\xff", "image/gif").result().content
    assert isinstance(block, types.ImageContent)
    assert (block.data, block.mime_type) == ("AP8=", "image/gif")


def test_embedded_bytes_are_a_blob() -> None:
    (block,) = ToolResponse().resource("t://b", b"\x00").result().content
    assert isinstance(block, types.EmbeddedResource)
    assert isinstance(block.resource, types.BlobResourceContents)
    assert (block.resource.blob, block.resource.mime_type) == ("AA==", None)


def test_a_resource_link_has_what_is_known() -> None:
    (block,) = ToolResponse().resource_link("t://l", "l", description="a link").result().content
    assert isinstance(block, types.ResourceLink)
    assert (block.uri, block.name, block.description) == ("t://l", "l", "a link")


def test_structured_content_has_a_text_copy_of_the_same_json() -> None:
    result = ToolResponse().structured(Point(xAxis=3)).result()
    assert result.structured_content == {"xAxis": 3}
    assert [block.text for block in result.content if isinstance(block, types.TextContent)] == ['{"xAxis":3}']


def test_text_that_was_written_stands_in_place_of_the_copy() -> None:
    result = ToolResponse().structured({"a": 1}).text("One a.").result()
    assert [block.text for block in result.content if isinstance(block, types.TextContent)] == ["One a."]


def test_send_with_a_result_replaces_what_was_built() -> None:
    result = ToolResponse().text("draft").send({"final": True}).result()
    assert result.structured_content == {"final": True}
    assert len(result.content) == 1


def test_a_second_send_changes_nothing() -> None:
    response = ToolResponse().text("first").send()
    assert response.send("second").result().content == response.result().content
    assert len(response.result().content) == 1


def test_meta_goes_to_the_result() -> None:
    assert ToolResponse().text("x").meta("io.lensbazaar/k", 1).result().meta == {"io.lensbazaar/k": 1}


def test_an_error_ends_the_call_at_once_with_details() -> None:
    with pytest.raises(InvalidInput) as refused:
        ToolResponse().error("No such day.", {"day": "32"})
    assert refused.value.shape()["error"] == {
        "code": "INVALID_INPUT",
        "message": "No such day.",
        "retryable": False,
        "details": {"day": "32"},
    }


@pytest.mark.parametrize("answer", [3, [1], b"bytes", object()])
def test_a_tool_cannot_answer_just_anything(answer: object) -> None:
    with pytest.raises(TypeError, match="a tool handler answered"):
        ToolResponse().take(answer)


def test_a_resource_is_text_of_its_registered_type() -> None:
    rendered = ResourceResponse("text/markdown").text("# Title").send().rendered()
    assert rendered.contents == (Content("# Title", "text/markdown"),)


def test_a_resources_type_may_be_said_with_the_content() -> None:
    rendered = ResourceResponse("text/plain").text("a: 1", "application/yaml").rendered()
    assert rendered.contents[0].mime_type == "application/yaml"


def test_json_of_a_text_resource_says_that_it_is_json() -> None:
    assert ResourceResponse("text/plain").json({"a": 1}).rendered().contents[0].mime_type == "application/json"
    assert ResourceResponse("application/geo+json").json({}).rendered().contents[0].mime_type == "application/geo+json"


def test_returned_values_become_content_of_the_registered_type() -> None:
    response = ResourceResponse("application/json")
    response.take({"a": [1]})
    assert response.rendered().contents == (Content('{"a":[1]}', "application/json"),)


def test_returned_bytes_of_a_text_type_are_its_text_verbatim() -> None:
    response = ResourceResponse("application/json")
    response.take('{ "kept" :  "é" }'.encode())
    assert response.rendered().contents == (Content('{ "kept" :  "é" }', "application/json"),)


def test_returned_bytes_of_another_type_are_a_blob() -> None:
    response = ResourceResponse("image/png")
    response.take(b"\x89PNG")
    assert response.rendered().contents == (Content(b"\x89PNG", "image/png"),)


def test_blobs_images_and_sounds_have_their_usual_types() -> None:
    rendered = ResourceResponse().blob(b"1").image(b"2").audio(b"3").rendered()
    types_ = [content.mime_type for content in rendered.contents]
    assert types_ == ["application/octet-stream", "image/png", "audio/mp3"]


def test_after_send_nothing_is_added() -> None:
    response = ResourceResponse().text("kept").send()
    response.text("late")
    response.send("later")
    assert response.rendered().contents == (Content("kept", "text/plain"),)


def test_send_with_a_result_replaces_the_contents() -> None:
    assert ResourceResponse().text("draft").send("final").rendered().contents == (Content("final", "text/plain"),)


def test_a_resource_may_say_from_when_it_is() -> None:
    at = datetime(2026, 11, 30, tzinfo=UTC)
    assert ResourceResponse().text("now").modified(at).meta("k", 1).rendered().modified == at


def test_a_resource_that_answers_nothing_is_a_fault() -> None:
    with pytest.raises(ValueError, match="answered nothing"):
        ResourceResponse().rendered()


@pytest.mark.parametrize("answer", [3, object()])
def test_a_resource_cannot_answer_just_anything(answer: object) -> None:
    with pytest.raises(TypeError, match="a resource handler answered"):
        ResourceResponse().take(answer)


def test_contents_count_the_bytes_and_not_the_letters() -> None:
    assert Content("é", "text/plain").body == b"\xc3\xa9"
