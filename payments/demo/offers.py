"""What the demo seller asks for, and how it describes itself to catalogues (reference: 6.1, the Bazaar extension)."""

from __future__ import annotations

from typing import Any

from payments.demo.configuration import Configuration
from payments.demo.forecasts import SKIES, forecast
from payments.seller import Offer, Price, payment_requirements

CITY = "Berlin"

BAZAAR: dict[str, Any] = {
    "info": {
        "input": {"type": "http", "method": "GET", "pathParams": {"city": CITY}},
        "output": {"type": "json", "example": dict(forecast(CITY))},
    },
    "schema": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "input": {
                "type": "object",
                "properties": {
                    "type": {"type": "string", "const": "http"},
                    "method": {"type": "string", "enum": ["GET"]},
                    "pathParams": {
                        "type": "object",
                        "properties": {"city": {"type": "string", "minLength": 1}},
                        "required": ["city"],
                    },
                },
                "required": ["type", "method"],
                "additionalProperties": False,
            },
            "output": {
                "type": "object",
                "properties": {
                    "type": {"type": "string"},
                    "example": {
                        "type": "object",
                        "properties": {
                            "city": {"type": "string"},
                            "temperatureCelsius": {"type": "number"},
                            "windMetresPerSecond": {"type": "number"},
                            "sky": {"type": "string", "enum": list(SKIES)},
                        },
                        "required": ["city", "temperatureCelsius", "sky"],
                    },
                },
                "required": ["type"],
            },
        },
        "required": ["input"],
    },
    "routeTemplate": "/weather/:city",
}


def weather_offer(told: Configuration) -> Offer:
    """One way to pay: the price in the asset. Raises ValueError for terms that nobody can pay."""
    price = Price(told.asset, told.price)
    terms = payment_requirements(price, network=told.network, pay_to=told.pay_to, seconds=told.seconds)
    return Offer(
        accepts=(terms,),
        description="Temperature, wind and sky of a city at this moment.",
        mime_type="application/json",
        service_name="Demo Weather",
        tags=("weather", "forecast"),
        extensions={"bazaar": BAZAAR},
    )
