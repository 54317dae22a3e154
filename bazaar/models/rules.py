"""What must be true of the texts and documents that a catalogue entry carries. Each rule raises Django's
ValidationError.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ValidationError
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from lensproject.core.documents import depth
from lensproject.core.stellar.addresses import is_account, is_contract

MAX_TAGS = 5
MAX_TAG_LENGTH = 32
MAX_SCHEMA_BYTES = 64 * 1024
MAX_SCHEMA_DEPTH = 64
_PARAMETER = re.compile(r":[A-Za-z_][A-Za-z0-9_]*")
_LITERAL = re.compile(r"(?:[A-Za-z0-9._~!$&'()*+,;=@-]|%[0-9A-Fa-f]{2})+")


def tags(value: Any) -> None:
    """Up to five distinct short texts."""
    if not isinstance(value, list) or not all(isinstance(tag, str) and tag.strip() == tag != "" for tag in value):
        raise ValidationError("Tags are a list of texts.", code="tags")
    if len(value) > MAX_TAGS or len(set(value)) != len(value) or max(map(len, value), default=0) > MAX_TAG_LENGTH:
        raise ValidationError(f"At most {MAX_TAGS} different tags of at most {MAX_TAG_LENGTH} characters.", code="tags")


def origin(value: str) -> None:
    """Scheme, host and port in lower case and nothing else: `https://api.weather.example`."""
    try:
        parts = urlsplit(value)
        right = f"{parts.scheme}://{parts.netloc}"
        valid = parts.scheme in ("http", "https") and parts.hostname and not parts.username and parts.port != 0
    except ValueError:
        valid, right = False, ""
    if not valid or value != right.lower():
        raise ValidationError("Write scheme, host and port in lower case, such as https://host:8443.", code="origin")


def route(value: str) -> None:
    """A path whose variable segments are `:name`. It cannot climb out, plainly or encoded, and has no query."""
    if not value.startswith("/") or "//" in value:
        raise ValidationError("A route begins with one slash and has no empty segment.", code="route")
    names: list[str] = []
    for segment in value[1:].split("/"):
        if segment.startswith(":") and _PARAMETER.fullmatch(segment):
            names.append(segment)
        elif segment and (not _LITERAL.fullmatch(segment) or _climbs(segment)):
            raise ValidationError(f"“{segment}” is no path segment and no :name.", code="route")
    if len(set(names)) != len(names):
        raise ValidationError("A :name stands in the route twice.", code="route")


def _climbs(segment: str) -> bool:
    """Whether the segment means `.` or `..`, or hides a slash, however often it is percent-encoded."""
    while (plain := unquote(segment)) != segment:
        segment = plain
    return segment in (".", "..") or "/" in segment or "\\" in segment


def schema(value: Any) -> None:
    """An empty object, or a JSON Schema of 2020-12 within 64 KiB that refers to nothing outside itself."""
    if not isinstance(value, dict):
        raise ValidationError("A schema is a JSON object.", code="schema")
    if depth(value) > MAX_SCHEMA_DEPTH:
        raise ValidationError(f"A schema is nested at most {MAX_SCHEMA_DEPTH} deep.", code="schema")
    if len(json.dumps(value)) > MAX_SCHEMA_BYTES:
        raise ValidationError(f"A schema has at most {MAX_SCHEMA_BYTES} bytes.", code="schema")
    try:
        Draft202012Validator.check_schema(value)
    except SchemaError as error:
        raise ValidationError(f"This is no JSON Schema of 2020-12: {error.message}.", code="schema") from None
    for reference in _references(value):
        if not reference.startswith("#"):
            raise ValidationError(f"The schema refers to {reference}, which is outside of it.", code="schema")


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("$ref", "$dynamicRef") and isinstance(value, str):
                yield value
            else:
                yield from _references(value)
    elif isinstance(node, list):
        for item in node:
            yield from _references(item)


def address(value: str) -> None:
    """A `G…` or `C…` address whose checksum is right."""
    if not is_account(value) and not is_contract(value):
        raise ValidationError("This is no Stellar address: its checksum is wrong.", code="address")


def account(value: str) -> None:
    """A `G…` address whose checksum is right."""
    if not is_account(value):
        raise ValidationError("This is no Stellar account: its checksum is wrong.", code="address")
