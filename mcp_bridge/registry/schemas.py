"""JSON Schema 2020-12 of what tools take and answer, from pydantic models."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

ERROR: dict[str, Any] = {
    "type": "object",
    "title": "Error",
    "description": "The one error shape of this server; `isError` is true beside it.",
    "properties": {
        "error": {
            "type": "object",
            "properties": {
                "code": {"type": "string"},
                "message": {"type": "string"},
                "retryable": {"type": "boolean"},
                "details": {"type": "object"},
            },
            "required": ["code", "message", "retryable", "details"],
            "additionalProperties": False,
        }
    },
    "required": ["error"],
    "additionalProperties": False,
}


def of_input(model: type[BaseModel]) -> dict[str, Any]:
    """The schema of arguments, by alias."""
    return model.model_json_schema(by_alias=True, mode="validation")


def of_result(model: type[BaseModel]) -> dict[str, Any]:
    """The schema of what a handler answers, by alias."""
    return model.model_json_schema(by_alias=True, mode="serialization")


def of_output(model: type[BaseModel]) -> dict[str, Any]:
    """An object schema with `anyOf` result, error: some clients check it on errors too."""
    result = of_result(model)
    definitions = result.pop("$defs", {})
    schema: dict[str, Any] = {"type": "object", "anyOf": [result, ERROR]}
    if definitions:
        schema["$defs"] = definitions
    return schema


def is_closed(schema: dict[str, Any]) -> bool:
    """Whether unknown arguments are refused by the schema itself, as they are by the check before the call."""
    return schema.get("type") == "object" and schema.get("additionalProperties") is False
