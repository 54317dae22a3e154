"""Brings what leaves the REST door outside of its operations into the one error shape, and turns away large bodies.

Django answers a bad Host, an unknown path or a fault of a middleware with a page, and django-ninja a wrong method with
a word. This middleware stands before all others, so it sees every answer: under `/api`, `/facilitator`, `/healthz` and
`/readyz` none of them is HTML, whatever DEBUG says.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.decorators import sync_and_async_middleware
from structlog.contextvars import bound_contextvars

from lensproject.core.rest.refusals import answer, masked, of_status, too_large

OURS = re.compile(r"/(?:api|facilitator|healthz|readyz)(?:/|\Z)")
KEPT = ("Allow", "Retry-After")

Answer = HttpResponseBase | Awaitable[HttpResponseBase]


@sync_and_async_middleware
def one_error_shape(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Answer]:
    """The middleware, for WSGI and tests as well as for ASGI."""
    if iscoroutinefunction(get_response):

        async def answered_async(request: HttpRequest) -> HttpResponseBase:
            if not OURS.match(request.path_info):
                return await get_response(request)  # type: ignore[no-any-return]
            correlation = uuid4().hex
            with bound_contextvars(correlation_id=correlation):
                response = _turned_away(request) or await get_response(request)
            return _shaped(response, correlation)

        return answered_async

    def answered(request: HttpRequest) -> HttpResponseBase:
        if not OURS.match(request.path_info):
            return get_response(request)  # type: ignore[no-any-return]
        correlation = uuid4().hex
        with bound_contextvars(correlation_id=correlation):
            response = _turned_away(request) or get_response(request)
        return _shaped(response, correlation)

    return answered


def _turned_away(request: HttpRequest) -> HttpResponseBase | None:
    """413 for a body that says that it is too large, before anybody reads it."""
    limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    length = request.META.get("CONTENT_LENGTH") or "0"
    if limit is None or not length.isdecimal() or int(length) <= limit:
        return None
    return answer(too_large(limit))


def _shaped(response: HttpResponseBase, correlation: str) -> HttpResponseBase:
    """The answer, with another body and other headers when it is an error in another shape.

    It stays the same object: closing it is how a server tells everybody that the request has ended.
    """
    if response.status_code < 400 or not isinstance(response, HttpResponse):
        return response
    if response.get("Content-Type", "").startswith("application/json"):
        return response
    # Whoever logged the fault did so before the request's own variables were taken off the log.
    with bound_contextvars(correlation_id=correlation):
        shaped = answer(of_status(response.status_code) or masked(None))
    for name in [name for name in response.headers if name not in KEPT]:
        del response[name]
    for name, value in shaped.headers.items():
        response[name] = value
    response.status_code, response.content = shaped.status_code, shaped.content
    return response
