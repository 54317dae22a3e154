"""Answers of a paid view: the 402 for programs and browsers, the paid one, and the headers that keep both private."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.html import format_html

from lensproject.core.x402.codec import PAYMENT_REQUIRED, PAYMENT_RESPONSE, PAYMENT_SIGNATURE, encode_header
from lensproject.core.x402.wire import PaymentRequired

ALLOWED_HEADERS = f"{PAYMENT_SIGNATURE}, Content-Type, Accept, Access-Control-Expose-Headers"
EXPOSED_HEADERS = f"{PAYMENT_REQUIRED}, {PAYMENT_RESPONSE}"

PAGE = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>402 Payment Required</title></head><body>'
    "<h1>Payment required</h1><p>{}</p><p>This resource is sold by x402. A program pays for it: the terms are in the "
    "header PAYMENT-REQUIRED of this answer.</p><p>{}</p></body></html>"
)


def payment_required(
    request: HttpRequest, document: PaymentRequired, receipt: dict[str, Any] | None = None
) -> HttpResponse:
    """402 with the terms; with `receipt` (PAYMENT-RESPONSE) when a settlement failed."""
    response = _page(document) if _is_browser(request) else JsonResponse({})
    response.status_code = 402
    response[PAYMENT_REQUIRED] = encode_header(document.write())
    if receipt is not None:
        response[PAYMENT_RESPONSE] = encode_header(receipt)
    response["Cache-Control"] = "no-store"
    return response


def paid(response: HttpResponse, receipt: dict[str, Any] | None) -> HttpResponse:
    """The view's answer, kept out of every cache, with the receipt of its settlement."""
    if receipt is not None:
        response[PAYMENT_RESPONSE] = encode_header(receipt)
    response["Cache-Control"] = "private, no-store"
    for name in ("ETag", "Last-Modified"):
        if name in response:
            del response[name]
    return response


def busy() -> HttpResponse:
    """409: the same request with the same payment is being answered."""
    return _told({"error": "the payment is being used by the same request"}, 409, "1")


def away() -> HttpResponse:
    """503: the facilitator does not answer. Nothing was handed over."""
    return _told({"error": "the facilitator does not answer"}, 503, "5")


def preflight(response: HttpResponse | None = None) -> HttpResponse:
    """What a browser asks before it sends a payment: not charged."""
    response = response or HttpResponse(status=204)
    response["Access-Control-Allow-Methods"] = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
    response["Access-Control-Allow-Headers"] = ALLOWED_HEADERS
    response["Access-Control-Max-Age"] = "600"
    return response


def shared_with(response: HttpResponse, origin: str | None) -> HttpResponse:
    """Let pages of this origin (or `*`) read the answer and its payment headers; None leaves that to the site."""
    if origin is not None:
        response["Access-Control-Allow-Origin"] = origin
        response["Access-Control-Expose-Headers"] = EXPOSED_HEADERS
    return response


def _told(body: dict[str, str], status: int, retry_after: str) -> HttpResponse:
    response = JsonResponse(body, status=status)
    response["Retry-After"] = retry_after
    response["Cache-Control"] = "no-store"
    return response


def _is_browser(request: HttpRequest) -> bool:
    accepts = request.headers.get("Accept", "")
    return "text/html" in accepts and "Mozilla" in request.headers.get("User-Agent", "")


def _page(document: PaymentRequired) -> HttpResponse:
    return HttpResponse(format_html(PAGE, document.resource.description or document.resource.url, document.error or ""))
