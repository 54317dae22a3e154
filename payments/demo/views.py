"""The demo seller's two pages: a free one that says what there is, and a paid one."""

from __future__ import annotations

import os

from django.http import HttpRequest, HttpResponse, JsonResponse

from payments.demo.configuration import configuration
from payments.demo.forecasts import forecast
from payments.demo.offers import weather_offer
from payments.seller import HttpFacilitator, Seller

told = configuration(os.environ)
seller = Seller(HttpFacilitator(told.facilitator), base_url=told.base_url)
offer = weather_offer(told)


def home(request: HttpRequest) -> HttpResponse:
    """Free: what is sold here, and for how much."""
    return JsonResponse({"sells": "/weather/{city}", "accepts": [terms.write() for terms in offer.accepts]})


@seller.paid(offer)
def weather(request: HttpRequest, city: str) -> HttpResponse:
    """The weather of a city."""
    return JsonResponse(forecast(city))
