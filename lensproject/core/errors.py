"""One shape for every error that leaves the platform, and the registry of codes.

Typed exceptions are raised where the fault is known (`bazaar.errors`, `payments.errors`, and the neutral ones below)
and mapped once at each door: `core.rest` for REST, `mcp_bridge.handlers` for MCP. No code is chosen by looking into a
message.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

JSON: TypeAlias = "bool | int | float | str | list[JSON] | dict[str, JSON] | None"


@dataclass(frozen=True)
class ErrorCode:
    """A stable code: its name, its HTTP status, whether asking again can help, and what it means."""

    name: str
    status: int
    retryable: bool
    meaning: str


CODES: dict[str, ErrorCode] = {}


def declare(name: str, *, status: int, retryable: bool = False, meaning: str) -> ErrorCode:
    """Register a code. A name is given once; agents rely on it for ever."""
    if name in CODES:
        raise ValueError(f"error code {name} is declared twice")
    CODES[name] = ErrorCode(name, status, retryable, meaning)
    return CODES[name]


class Refusal(Exception):
    """Base of every failure that a caller is told about. Subclasses set `code`."""

    code: ClassVar[ErrorCode]

    def __init__(
        self, message: str, *, details: Mapping[str, JSON] | None = None, retry_after: int | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.details: dict[str, JSON] = dict(details or {})
        self.retry_after = retry_after
        if retry_after is not None:
            self.details["retryAfter"] = retry_after

    def shape(self) -> dict[str, JSON]:
        """`{"error": {code, message, retryable, details}}`, the body of REST answers and of tool errors."""
        return {
            "error": {
                "code": self.code.name,
                "message": self.message,
                "retryable": self.code.retryable,
                "details": self.details,
            }
        }


class InvalidInput(Refusal):
    """Input fails its schema; `details.fields` names each field with what is wrong."""

    code = declare("INVALID_INPUT", status=422, meaning="The input does not fit its schema; details name the fields.")


class Unauthenticated(Refusal):
    """No key, or one that is unknown or ended."""

    code = declare("UNAUTHENTICATED", status=401, meaning="No key was sent, or it is wrong, expired or revoked.")


class PermissionDenied(Refusal):
    """A good key without the scope that is needed; `details.scope` names it."""

    code = declare("PERMISSION_DENIED", status=403, meaning="The key lacks the scope that this needs.")


class NotFound(Refusal):
    """No such row for this caller; rows of others are answered the same way."""

    code = declare("RESOURCE_NOT_FOUND", status=404, meaning="There is no such thing, or it is not yours to see.")


class StaleVersion(Refusal):
    """The row changed since the caller read it; `details` has the current `rowVersion`."""

    code = declare("STALE_VERSION", status=409, meaning="Somebody changed the row since you read it.")


class RateLimited(Refusal):
    """Too many requests; `details.retryAfter` has the seconds to wait."""

    code = declare("RATE_LIMITED", status=429, retryable=True, meaning="Too many requests; wait `retryAfter` seconds.")


class InternalError(Refusal):
    """Anything else. The cause is in the log under `details.correlationId` and never in the answer."""

    code = declare("INTERNAL_ERROR", status=500, meaning="A fault of ours; the log has it under the correlation id.")


class Unavailable(Refusal):
    """Something that the platform rests on, such as its database, does not answer; `details.retryAfter` has seconds."""

    code = declare(
        "UNAVAILABLE",
        status=503,
        retryable=True,
        meaning="The platform cannot answer at the moment; wait `retryAfter` seconds.",
    )
