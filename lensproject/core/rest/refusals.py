"""One shape for every failure of the REST door, whoever found it: a service, django-ninja, Django, or the database.

Here exceptions become refusals and refusals become answers. What leaves before or after django-ninja is brought into
the same shape by `core.rest.middleware`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any
from uuid import uuid4

import structlog
from django.core.exceptions import PermissionDenied as DjangoPermissionDenied
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError
from ninja.errors import ValidationError as NinjaValidationError

from lensproject.core.errors import (
    JSON,
    InternalError,
    InvalidInput,
    NotFound,
    PermissionDenied,
    Refusal,
    Unauthenticated,
    Unavailable,
    declare,
)

RETRY_SECONDS = 5
log = structlog.get_logger(__name__)


class KeyRefused(Unauthenticated):
    """A key was sent, and it is unknown, wrong, expired, revoked or used from elsewhere: outside they look the same."""


class BadRequest(Refusal):
    """No HTTP request that this server answers: a Host that is not ours, a body that is no JSON."""

    code = declare("BAD_REQUEST", status=400, meaning="The request itself cannot be read: its Host, its JSON.")


class MethodNotAllowed(Refusal):
    """The path is there and the method is not; the header `Allow` lists those that are."""

    code = declare("METHOD_NOT_ALLOWED", status=405, meaning="This path does not answer this method; see `Allow`.")


class PreconditionFailed(Refusal):
    """`If-Match` or `If-Unmodified-Since` does not hold."""

    code = declare("PRECONDITION_FAILED", status=412, meaning="The version is not the one that `If-Match` names.")


class BodyTooLarge(Refusal):
    """More bytes than the door reads; `details.maxBytes` says how many it does."""

    code = declare("BODY_TOO_LARGE", status=413, meaning="The body is larger than what is read (`maxBytes`).")


class UnsupportedMediaType(Refusal):
    """A body that is not `application/json`."""

    code = declare("UNSUPPORTED_MEDIA_TYPE", status=415, meaning="A body must be sent as application/json.")


def answer(refusal: Refusal) -> HttpResponse:
    """The refusal in the one shape, with the headers that belong to its code."""
    body = json.dumps(refusal.shape(), ensure_ascii=False, separators=(",", ":"))
    response = HttpResponse(body.encode(), status=refusal.code.status, content_type="application/json")
    response["Cache-Control"] = "no-store"
    if refusal.retry_after is not None:
        response["Retry-After"] = str(refusal.retry_after)
    if isinstance(refusal, (Unauthenticated, PermissionDenied)):
        response["WWW-Authenticate"] = challenge(refusal)
    return response


def challenge(refusal: Unauthenticated | PermissionDenied) -> str:
    """The challenge of RFC 6750: which scope is needed, and what is wrong with the key that was sent."""
    parts = ['realm="lens-bazaar"']
    scope = refusal.details.get("scope")
    if scope is not None:
        parts.append(f'scope="{scope}"')
    if isinstance(refusal, PermissionDenied):
        parts.append('error="insufficient_scope"')
    elif isinstance(refusal, KeyRefused):
        parts.append('error="invalid_token"')
    return f"Bearer {', '.join(parts)}"


def refusal_of(error: Exception) -> Refusal:
    """What a caller is told of an exception. One that nobody foresaw is logged and masked."""
    if isinstance(error, Refusal):
        return error
    for kind, told in _FORESEEN:
        if isinstance(error, kind):
            return told(error)
    return masked(error)


def masked(error: BaseException | None) -> InternalError:
    """Log a fault of ours, and give what the caller may know: the id under which the log has it.

    It is the id that `core.rest.middleware` put on every line of the request, where it did.
    """
    correlation = str(structlog.contextvars.get_contextvars().get("correlation_id") or uuid4().hex)
    log.error("rest_fault", correlation_id=correlation, exc_info=error)
    return InternalError("Something failed on our side.", details={"correlationId": correlation})


def unavailable(error: Exception | None) -> Unavailable:
    """The database is away, or too busy to answer."""
    log.error("database_unavailable", error=type(error).__name__, exc_info=error)
    return Unavailable("The database does not answer at the moment.", retry_after=RETRY_SECONDS)


def install(api: NinjaAPI) -> None:
    """Answer every exception of this API's operations in the one shape."""

    def answered(request: HttpRequest, error: Exception | type[Exception]) -> HttpResponse:
        return answer(refusal_of(error)) if isinstance(error, Exception) else answer(masked(None))

    for kind in (Exception, HttpError, NinjaValidationError, Http404):
        api.add_exception_handler(kind, answered)


def too_large(limit: int) -> BodyTooLarge:
    return BodyTooLarge(f"The body has more than {limit} bytes.", details={"maxBytes": limit})


def _fields(error: NinjaValidationError) -> InvalidInput:
    """What is wrong, by the name of the field. Never the value."""
    fields: dict[str, JSON] = {}
    for detail in error.errors:
        name = ".".join(str(part) for part in detail["loc"][1:]) or "(all)"
        fields.setdefault(name, str(detail["msg"]))
    return InvalidInput("The input does not fit its schema.", details={"fields": fields})


def _http(error: HttpError) -> Refusal:
    if isinstance(error.__cause__, Refusal):
        return error.__cause__  # Of our parser; django-ninja wraps whatever a parser raises.
    if error.status_code == 400:
        return BadRequest("The body is not JSON.")
    return of_status(error.status_code) or masked(error)


def of_status(status: int, details: Mapping[str, JSON] | None = None) -> Refusal | None:
    """The refusal for a status that Django or a library chose by itself; None where the fault is ours."""
    known = _BY_STATUS.get(status, _BY_STATUS[400] if 400 <= status < 500 else None)
    return None if known is None else known[0](known[1], details=details)


_BY_STATUS: dict[int, tuple[type[Refusal], str]] = {
    400: (BadRequest, "The request cannot be read."),
    401: (Unauthenticated, "This needs an API key: send Authorization: Bearer <key>."),
    403: (PermissionDenied, "This is not allowed."),
    404: (NotFound, "There is nothing at this path."),
    405: (MethodNotAllowed, "This path does not answer this method."),
    412: (PreconditionFailed, "The version is another one by now."),
    413: (BodyTooLarge, "The body is too large."),
    415: (UnsupportedMediaType, "Send the body as application/json."),
    422: (InvalidInput, "The input does not fit its schema."),
    503: (Unavailable, "The server cannot answer at the moment."),
}

# The first kind that fits counts, so what is special comes before what is general.
_FORESEEN: tuple[tuple[type[Exception], Callable[[Any], Refusal]], ...] = (
    (NinjaValidationError, _fields),
    (AuthenticationError, lambda _: Unauthenticated("This needs an API key: send Authorization: Bearer <key>.")),
    (HttpError, _http),
    (Http404, lambda _: NotFound("There is nothing at this path.")),
    (DjangoPermissionDenied, lambda _: PermissionDenied("This is not allowed.")),
    (RequestDataTooBig, lambda _: BodyTooLarge("The body is too large.")),
    (SuspiciousOperation, lambda _: BadRequest("The request cannot be read.")),
    (OperationalError, unavailable),
    (InterfaceError, unavailable),
)
