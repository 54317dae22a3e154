"""The one place where failures become answers: refusals, bad parameters, and everything else, masked."""

from __future__ import annotations

import logging
from typing import Any
from uuid import uuid4

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from lensproject.core.errors import JSON, InternalError, InvalidInput, NotFound, Refusal
from mcp_bridge.response import to_json

logger = logging.getLogger(__name__)

WHOLE = "(all)"
"""Stands for the input as a whole where a mistake has no field."""


def masked(what: str, error: Exception) -> InternalError:
    """Log a fault of ours and give what the caller may know: an id under which the log has it."""
    correlation = uuid4().hex
    logger.error("%s failed [%s]", what, correlation, exc_info=error)
    return InternalError("Something failed on our side.", details={"correlationId": correlation})


def fields(error: ValidationError) -> dict[str, JSON]:
    """What is wrong, by the path of the field. Never the value, which may be a secret or huge."""
    found: dict[str, JSON] = {}
    for detail in error.errors(include_url=False, include_context=False, include_input=False):
        found.setdefault(".".join(map(str, detail["loc"])) or WHOLE, detail["msg"])
    return found


def bad_input(error: ValidationError) -> InvalidInput:
    """INVALID_INPUT that names each field."""
    return InvalidInput("The input does not fit the schema.", details={"fields": fields(error)})


def tool_error(refusal: Refusal) -> types.CallToolResult:
    """`isError` with the one error shape as structured content and as text."""
    shape = refusal.shape()
    text = types.TextContent(type="text", text=to_json(shape))
    return types.CallToolResult(content=[text], structured_content=shape, is_error=True)


def read_error(uri: str, refusal: Refusal) -> MCPError:
    """A read fails as a protocol error: a result has no field for failures, so a made-up one would pass for content."""
    status = refusal.code.status
    if status >= 500:
        return MCPError(types.INTERNAL_ERROR, "The resource could not be read.", {"uri": uri, **refusal.details})
    if status in (401, 403):
        return MCPError(types.INVALID_REQUEST, refusal.message, {"uri": uri, "reason": refusal.code.name})
    if isinstance(refusal, NotFound):
        return MCPError(types.INVALID_PARAMS, "Resource not found", {"uri": uri})
    return MCPError(types.INVALID_PARAMS, refusal.message, {"uri": uri, **refusal.details})


async def mask(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Middleware: without it the wire of older protocols carries the text of any exception under code 0."""
    try:
        return await call_next(ctx)
    except MCPError:
        raise
    except ValidationError as error:
        raise MCPError(types.INVALID_PARAMS, "Invalid request parameters", {"fields": fields(error)}) from None
    except Exception as error:
        refusal = masked(ctx.method, error)
        raise MCPError(types.INTERNAL_ERROR, "Internal server error", refusal.details) from None
