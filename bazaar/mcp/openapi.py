"""`lens://openapi.json`: the file that MCP_OPENAPI_PATH names, verbatim; it changed when the file did."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from django.conf import settings

from bazaar.mcp.access import reading_scope
from mcp_bridge.registry import resource
from mcp_bridge.request import ResourceRequest
from mcp_bridge.response import JSON_TYPE, ResourceResponse

logger = logging.getLogger(__name__)
URI = "lens://openapi.json"
T = TypeVar("T")


def modified(request: ResourceRequest) -> datetime:
    """The file's mtime. Raises OSError when it cannot be asked."""
    return datetime.fromtimestamp(_of_file(Path.stat).st_mtime, UTC)


@resource(
    "lens",
    uri=URI,
    name="openapi",
    title="OpenAPI document",
    description="The OpenAPI 3 document of the REST API under /api/v1, verbatim.",
    mime_type=JSON_TYPE,
    scope=reading_scope(),
    modified=modified,
)
def openapi(request: ResourceRequest, response: ResourceResponse) -> bytes:
    return _of_file(Path.read_bytes)


def _of_file(step: Callable[[Path], T]) -> T:
    path: Path = settings.LENS.mcp_openapi_path
    try:
        return step(path)
    except OSError as error:
        logger.error("%s cannot be served: %s of MCP_OPENAPI_PATH: %s", URI, path, error.strerror)
        raise
