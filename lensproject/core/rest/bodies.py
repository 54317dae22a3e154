"""Bodies that are read: JSON, said to be JSON, of which every reader makes the same."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from django.http import HttpRequest
from ninja.parser import Parser

from lensproject.core.rest.refusals import UnsupportedMediaType


class JsonBodies(Parser):
    """Refuses another media type, names that stand twice in one object, and numbers that JSON does not have."""

    def parse_body(self, request: HttpRequest) -> Any:
        if (request.content_type or "").lower() != "application/json":
            raise UnsupportedMediaType("Send the body as application/json.")
        return json.loads(request.body, parse_constant=_no_number, object_pairs_hook=_once_each)


def _no_number(text: str) -> NoReturn:
    raise ValueError("no number of JSON")


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice")
    return found
