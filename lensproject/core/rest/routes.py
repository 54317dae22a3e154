"""Routes that read: GET and HEAD, a key with a scope, no unknown parameters, and every answer in the document."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any, TypeVar

from django.http import HttpRequest, HttpResponse
from ninja import Router
from ninja.operation import Operation

from lensproject.core.errors import JSON, InvalidInput
from lensproject.core.rest.keys import BearerKey
from lensproject.core.rest.schemas import ErrorShape

View = TypeVar("View", bound=Callable[..., HttpResponse])

# What any route that reads may answer beside its own; each is documented with the one error shape.
ERRORS: Mapping[int, str] = {
    401: "No key was sent, or it is wrong, expired or revoked.",
    403: "The key lacks the scope.",
    422: "A parameter does not fit; `details.fields` names it.",
    500: "A fault of ours; the log has it under `details.correlationId`.",
    503: "The database is away; wait `details.retryAfter` seconds.",
}
NOT_FOUND: Mapping[int, str] = {404: "There is no such thing, or it is not yours to see."}
_HEADERS = {
    "ETag": {
        "description": "The version, `sha256:…` in quotes: send it as If-None-Match.",
        "schema": {"type": "string"},
    },
    "Last-Modified": {"description": "When the rows behind last changed.", "schema": {"type": "string"}},
}


def reading(
    router: Router,
    path: str,
    *,
    response: type,
    operation_id: str,
    summary: str,
    auth: BearerKey,
    errors: Mapping[int, str] | None = None,
) -> Callable[[View], View]:
    """Register a view of keyword parameters for GET and HEAD. It answers by `core.rest.conditional`."""
    told = {**ERRORS, **(errors or {})}

    def register(view: View) -> View:
        checked = _refusing_unknown_parameters(view)
        models: dict[Any, Any] = {200: response, **dict.fromkeys(sorted(told), ErrorShape)}
        documented: dict[str, Any] = {
            "operation_id": operation_id,
            "summary": summary,
            "response": models,
            "openapi_extra": {"responses": _described(told)},
        }
        router.get(path, auth=auth, **documented)(checked)
        router.api_operation(["HEAD"], path, auth=auth, include_in_schema=False)(checked)
        return view

    return register


def _described(errors: Mapping[int, str]) -> dict[int, Any]:
    described: dict[int, Any] = {status: {"description": meaning} for status, meaning in sorted(errors.items())}
    described[200] = {"headers": _HEADERS}
    described[304] = {"description": "You have this version already (If-None-Match, If-Modified-Since)."}
    return described


def _refusing_unknown_parameters(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A misspelt filter would show more than was asked for, so it is refused, after the key was looked at."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        operation: Operation = checked._ninja_operation  # type: ignore[attr-defined]
        unknown = sorted(set(request.GET) - _query_names(operation))
        if unknown:
            raise InvalidInput("There is no such parameter here.", details={"fields": _unknown(unknown)})
        return view(request, *args, **kwargs)

    # django-ninja would look for the names of the annotations in this module.
    checked.__signature__ = inspect.signature(view, eval_str=True)  # type: ignore[attr-defined]
    return checked


def _query_names(operation: Operation) -> set[str]:
    models = (model for model in operation.models if model.__ninja_param_source__ == "query")
    return {name for model in models for name in model.__ninja_flatten_map__}


def _unknown(names: Iterable[str]) -> dict[str, JSON]:
    return {name[:64]: "No such parameter." for name in names}
