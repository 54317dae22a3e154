"""The JSON Schemas that clients are given."""

from __future__ import annotations

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel

from lensproject.core.errors import RateLimited
from mcp_bridge.registry import NoInput, Registry, schemas
from tests.mcp_bridge.offering.shapes import AddInput, Sum

ERROR = RateLimited("Slower.", retry_after=3).shape()


class Nested(BaseModel):
    inner: Sum
    many: list[Sum]


def test_an_input_names_its_arguments_by_alias_and_refuses_others() -> None:
    schema = schemas.of_input(AddInput)
    assert set(schema["properties"]) == {"a", "b", "unit", "noteText"}
    assert schema["required"] == ["a"]
    assert schemas.is_closed(schema)


def test_no_input_is_an_empty_closed_object() -> None:
    schema = schemas.of_input(NoInput)
    assert schema["type"] == "object"
    assert schema["properties"] == {}
    assert schema["additionalProperties"] is False


def test_an_output_is_an_object_that_is_a_result_or_an_error() -> None:
    schema = schemas.of_output(Sum)
    assert schema["type"] == "object"
    assert [option["title"] for option in schema["anyOf"]] == ["Sum", "Error"]


@pytest.mark.parametrize("model", [Sum, Nested])
def test_an_output_schema_is_a_valid_schema_of_its_own(model: type[BaseModel]) -> None:
    Draft202012Validator.check_schema(schemas.of_output(model))


def test_nested_models_are_found_from_the_root_of_the_output_schema() -> None:
    one = {"total": 1, "unit": "apples", "noteText": None}
    validator = Draft202012Validator(schemas.of_output(Nested))
    assert validator.is_valid({"inner": one, "many": [one]})
    assert not validator.is_valid({"inner": one, "many": [{"total": "1"}]})


def test_the_one_error_shape_fits_every_output_schema() -> None:
    validator = Draft202012Validator(schemas.of_output(Sum))
    assert validator.is_valid(ERROR)
    assert not validator.is_valid({"error": {"code": "X"}})


def test_a_handlers_answer_may_not_be_the_error(offered: Registry) -> None:
    add = offered.tool("add")
    assert add is not None
    assert add.result_check is not None
    assert add.result_check.is_valid({"total": 1, "unit": "apples", "noteText": None})
    assert not add.result_check.is_valid(ERROR)
