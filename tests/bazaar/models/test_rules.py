"""What a catalogue entry's texts and documents must be."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import ValidationError

from bazaar.models import rules
from tests.builders.numbers import account, contract


@pytest.mark.parametrize("value", [[], ["weather"], ["a", "b", "c", "d", "e"], ["x" * 32]])
def test_good_tags(value: list[str]) -> None:
    rules.tags(value)


@pytest.mark.parametrize(
    "value", ["weather", [1], [""], [" padded"], ["a", "a"], ["a", "b", "c", "d", "e", "f"], ["x" * 33], {"a": 1}]
)
def test_bad_tags(value: Any) -> None:
    with pytest.raises(ValidationError):
        rules.tags(value)


@pytest.mark.parametrize(
    "value", ["https://api.example", "http://127.0.0.1:8001", "https://[::1]:8443", "https://xn--bcher-kva.example"]
)
def test_good_origins(value: str) -> None:
    rules.origin(value)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "api.example",
        "ftp://api.example",
        "https://",
        "https://API.example",
        "https://api.example/",
        "https://api.example/path",
        "https://user:secret@api.example",
        "https://api.example?x=1",
        "https://api.example#part",
        "https://api.example:99999",
        "https://api.example:0",
        "https://[::1",
        "javascript://api.example",
    ],
)
def test_bad_origins(value: str) -> None:
    with pytest.raises(ValidationError):
        rules.origin(value)


@pytest.mark.parametrize(
    "value", ["/", "/weather/:city", "/a/:b/c/:d_1", "/v1.0/~x/a,b;c=d@e", "/caf%C3%A9", "/a/...", "/x/", "/*"]
)
def test_good_routes(value: str) -> None:
    rules.route(value)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "weather",
        "//host/path",
        "/a//b",
        "/../etc",
        "/a/./b",
        "/%2e%2e/x",
        "/%252e%252e/x",
        "/%25252e./x",
        "/a%2fb",
        "/a%5Cb",
        "/a\\b",
        "/a?x=1",
        "/a#b",
        "/a b",
        "/:",
        "/:1a",
        "/x:y",
        "/:a/:a",
        "/%zz",
        "/é",
    ],
)
def test_bad_routes(value: str) -> None:
    with pytest.raises(ValidationError):
        rules.route(value)


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"type": "object", "properties": {"city": {"type": "string"}}},
        {"$defs": {"a": {"type": "string"}}, "$ref": "#/$defs/a"},
        {"properties": {"$ref": {"type": "string"}}},
    ],
)
def test_good_schemas(value: dict[str, Any]) -> None:
    rules.schema(value)


@pytest.mark.parametrize(
    "value",
    [
        [],
        "object",
        {"type": "thing"},
        {"$ref": "https://elsewhere.example/schema.json"},
        {"properties": {"a": {"items": [{"$ref": "other.json"}]}}},
        {"description": "x" * rules.MAX_SCHEMA_BYTES},
    ],
)
def test_bad_schemas(value: Any) -> None:
    with pytest.raises(ValidationError):
        rules.schema(value)


def test_a_schema_nested_beyond_reason_is_refused_and_not_a_crash() -> None:
    nested: dict[str, Any] = {}
    for _ in range(2000):
        nested = {"not": nested}
    with pytest.raises(ValidationError):
        rules.schema(nested)


def test_addresses() -> None:
    rules.address(account(1))
    rules.address(contract(1))
    rules.account(account(1))
    for wrong in ("", "G" * 56, account(1)[:-1] + ("A" if account(1)[-1] != "A" else "B"), account(1).lower()):
        with pytest.raises(ValidationError):
            rules.address(wrong)
    with pytest.raises(ValidationError):
        rules.account(contract(1))
