"""The facilitator over HTTP: /facilitator/supported, /verify and /settle as the x402 facilitator API has them.

Bodies and answers are x402's own documents, read strictly; refusals of a payment are answers with status 200. What is
wrong with the request itself is told in the error shape of the REST door (reference: section 3).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Mapping
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from lensproject.core import pool
from lensproject.core.callers import ANONYMOUS, FACILITATOR, Caller
from lensproject.core.errors import RateLimited
from lensproject.core.rest.keys import BearerKey, client_address
from lensproject.core.rest.refusals import BadRequest, UnsupportedMediaType, answer, refusal_of, too_large
from lensproject.core.x402.codec import MAX_BYTES, Unreadable, read_json
from lensproject.core.x402.wire import PaymentPayload, PaymentRequirements, SettlementResponse, VerifyResponse
from payments.api.limits import Limiter
from payments.facilitator.settling import settle
from payments.facilitator.supported import supported
from payments.facilitator.verifying import verify
from payments.x402.reading import read_payment
from payments.x402.reasons import Refused

View = Callable[[HttpRequest], Coroutine[Any, Any, HttpResponse]]

key = BearerKey(FACILITATOR)
limiter = Limiter()


def told(view: View) -> View:
    """What is wrong with a request, in the one error shape."""

    @wraps(view)
    async def answered(request: HttpRequest) -> HttpResponse:
        try:
            return await view(request)
        except Exception as error:
            return answer(refusal_of(error))

    return answered


@require_safe
@told
async def supported_view(request: HttpRequest) -> HttpResponse:
    """GET /facilitator/supported."""
    _limited(request)
    return _json(await pool.read(supported))


@csrf_exempt
@require_POST
@told
async def verify_view(request: HttpRequest) -> HttpResponse:
    """POST /facilitator/verify: open to all, read-only."""
    _limited(request)
    documents = _documents(request)
    try:
        payload, requirements = _payment(documents)
    except Refused as refused:
        invalid = VerifyResponse(is_valid=False, invalid_reason=refused.reason, invalid_message=refused.message or None)
        return _json(invalid.write())
    return _json((await verify(payload, requirements)).write())


@csrf_exempt
@require_POST
@told
async def settle_view(request: HttpRequest) -> HttpResponse:
    """POST /facilitator/settle: for keys of scope `facilitator`, or open by setting."""
    caller = await _caller(request)
    documents = _documents(request)
    try:
        payload, requirements = _payment(documents)
    except Refused as refused:
        network = documents["paymentRequirements"].get("network")
        failed = SettlementResponse(
            success=False,
            error_reason=refused.reason,
            error_message=refused.message or None,
            transaction="",
            network=network if isinstance(network, str) else "",
        )
        return _json(failed.write())
    return _json((await settle(payload, requirements, caller)).write())


async def _caller(request: HttpRequest) -> Caller:
    """A key that is sent is looked at, also where none is needed."""
    if "Authorization" in request.headers:
        return await pool.write(key, request)
    _limited(request)
    return ANONYMOUS


def _documents(request: HttpRequest) -> dict[str, Any]:
    """The body: an object with both documents of a payment. Raises a refusal of the request (HTTP 4xx)."""
    if (request.content_type or "").lower() != "application/json":
        raise UnsupportedMediaType("Send the body as application/json.")
    if len(request.body) > MAX_BYTES:
        raise too_large(MAX_BYTES)
    try:
        document = read_json(request.body)
    except Unreadable as error:
        raise BadRequest(f"The body {error}.") from None
    missing = [name for name in ("paymentPayload", "paymentRequirements") if not isinstance(document.get(name), dict)]
    if missing:
        raise BadRequest(f"The body has no object {' and no object '.join(missing)}.")
    return document


def _payment(documents: Mapping[str, Any]) -> tuple[PaymentPayload, PaymentRequirements]:
    return read_payment(documents["paymentPayload"], documents["paymentRequirements"])


def _limited(request: HttpRequest) -> None:
    seconds = limiter.wait(client_address(request) or "", settings.LENS.facilitator_per_minute)
    if seconds is not None:
        raise RateLimited("Too many requests from this address.", retry_after=seconds)


def _json(document: Mapping[str, Any]) -> HttpResponse:
    body = json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
    response = HttpResponse(body, content_type="application/json")
    response["Cache-Control"] = "no-store"
    return response


urlpatterns = [
    path("supported", supported_view, name="facilitator-supported"),
    path("verify", verify_view, name="facilitator-verify"),
    path("settle", settle_view, name="facilitator-settle"),
]
