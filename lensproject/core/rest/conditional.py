"""Answers that say which version they are, and 304 to who has that version already.

The `ETag` is the `version` of MCP in quotes and `Last-Modified` is its `lastModified`, to the second that HTTP knows.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.http import http_date

from lensproject.core import versions
from lensproject.core.rest import keys


def json_bytes(value: Mapping[str, Any]) -> bytes:
    """JSON in UTF-8 without blanks; the same value gives the same bytes."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def answer(
    request: HttpRequest, value: Mapping[str, Any], *, version: str | None = None, changed: datetime | None = None
) -> HttpResponse:
    """`value` as JSON. `version` is the sha256 of the bytes unless the value is a part of something that has one;
    `changed` is when the rows behind it last changed.
    """
    body = json_bytes(value)
    return answer_bytes(request, body, "application/json", version=version, changed=changed)


def answer_bytes(
    request: HttpRequest,
    body: bytes,
    content_type: str,
    *,
    version: str | None = None,
    changed: datetime | None = None,
    cache_control: str = "private, no-cache",
) -> HttpResponse:
    """Bytes with their version; 304 without them when the request names it, or a time since which nothing changed."""
    response = HttpResponse(body, content_type=content_type)
    response["ETag"] = f'"{version or version_of(body)}"'
    response["Cache-Control"] = cache_control
    patch_vary_headers(response, ["Authorization"])
    seconds = None if changed is None else int(changed.timestamp())
    if seconds is not None:
        response["Last-Modified"] = http_date(seconds)
    conditional = get_conditional_response(request, response["ETag"], seconds, response)
    assert isinstance(conditional, HttpResponse)  # noqa: S101, a response was given
    return conditional


def last_change(*topics: str) -> datetime | None:
    """When the rows of these topics, or any key, last changed. Ask before reading them: a time that is too early costs
    a client one more reading, and one that is too late would keep it from a change.
    """
    return versions.current().last_modified((*topics, keys.topic()))


def version_of(body: bytes) -> str:
    """`sha256:<hex>` over the exact bytes."""
    return f"sha256:{sha256(body).hexdigest()}"
