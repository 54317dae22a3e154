"""The decorator around async views: the same order, without blocking the event loop."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.test import RequestFactory

from lensproject.core.x402.codec import encode_header
from tests.payments.seller.scripted import SETTLED, Shop, receipt, required


def asked(shop: Shop, view: Any, *, paid: bool, method: str = "GET") -> HttpResponse:
    headers = {"PAYMENT-SIGNATURE": encode_header(shop.payment().write())} if paid else {}
    request = RequestFactory().generic(method, "/weather/Oslo", headers=headers)

    async def call() -> HttpResponse:
        found = await shop.seller.paid(shop.offer)(view)(request)
        assert isinstance(found, HttpResponse)
        return found

    return asyncio.run(call())


async def weather(request: HttpRequest) -> HttpResponse:
    await asyncio.sleep(0)
    return JsonResponse({"sky": "clear"})


def test_it_is_paid_for(shop: Shop) -> None:
    assert required(asked(shop, weather, paid=False))["error"] == "Payment required"
    response = asked(shop, weather, paid=True)

    assert (response.status_code, receipt(response)) == (200, SETTLED)
    assert shop.script.calls() == ["verify", "settle"]


def test_a_preflight_is_not_charged(shop: Shop) -> None:
    assert asked(shop, weather, paid=True, method="OPTIONS").status_code == 204
    assert shop.script.calls() == []


def test_a_view_that_raises_gives_the_payment_back(shop: Shop) -> None:
    async def broken(request: HttpRequest) -> HttpResponse:
        raise RuntimeError("no weather")

    with pytest.raises(RuntimeError, match="no weather"):
        asked(shop, broken, paid=True)
    assert asked(shop, weather, paid=True).status_code == 200
