"""A REST door of the tests: operations that fail in every way, behind the routes of a project."""

from __future__ import annotations

from django.contrib import admin
from django.core.exceptions import PermissionDenied as DjangoPermissionDenied
from django.core.exceptions import SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import path
from ninja import NinjaAPI, Schema
from ninja.errors import HttpError

from lensproject.core.callers import Caller
from lensproject.core.errors import RateLimited
from lensproject.core.rest import conditional, refusals
from lensproject.core.rest.bodies import JsonBodies
from lensproject.core.rest.keys import BearerKey, caller_of
from lensproject.core.rest.pagination import DEFAULT_LIMIT
from lensproject.core.rest.routes import NOT_FOUND, reading
from lensproject.core.rest.schemas import Closed, Cursor, Limit

FAULTS: dict[str, Exception] = {
    "refusal": RateLimited("Slower, please.", retry_after=7),
    "not-found": Http404("the row 17 of a secret table"),
    "forbidden": DjangoPermissionDenied("a secret reason"),
    "suspicious": SuspiciousOperation("a secret reason"),
    "database": OperationalError("connection to server at 10.0.0.5, user lens failed"),
    "interface": InterfaceError("connection already closed"),
    "bug": ZeroDivisionError("a secret divisor"),
    "teapot": HttpError(418, "a secret pot"),
    "gateway": HttpError(502, "a secret gateway"),
}


class Order(Schema):
    units: int


class Shown(Closed):
    subject: str
    limit: int
    cursor: str | None


def verify(token: str, address: str | None) -> Caller | None:
    scopes = {"reader": {"read"}, "payer": {"pay"}}.get(token)
    return None if scopes is None else Caller(subject=token, key_id="k", scopes=frozenset(scopes))


api = NinjaAPI(urls_namespace="rest-door", docs_url=None, parser=JsonBodies())
refusals.install(api)


@api.get("/faults/{name}")
def fault(request: HttpRequest, name: str) -> None:
    raise FAULTS[name]


@api.post("/orders")
def order(request: HttpRequest, body: Order) -> dict[str, int]:
    return {"units": body.units}


@reading(
    api.default_router,
    "/things",
    response=Shown,
    operation_id="listThings",
    summary="Things",
    auth=BearerKey("read"),
    errors=NOT_FOUND,
)
def things(request: HttpRequest, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None) -> HttpResponse:
    """All things."""
    shown = {"subject": caller_of(request).subject, "limit": limit, "cursor": cursor}
    return conditional.answer(request, shown)


def broken(request: HttpRequest) -> HttpResponse:
    raise ZeroDivisionError("a secret divisor")


def page(request: HttpRequest) -> HttpResponse:
    return HttpResponse("<h1>Gone</h1>", status=404)


urlpatterns = [
    path("admin/", admin.site.urls),
    path("api/broken", broken),
    path("api/v1/", api.urls),
    path("healthz", page),
    path("page", page),
    path("apiary", page),
]
