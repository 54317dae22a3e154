"""What the demo seller says of itself, held against the x402 package's own validation."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from x402.extensions.bazaar import validate_discovery_extension

from payments.demo.configuration import Configuration, configuration
from payments.demo.forecasts import SKIES, forecast
from payments.demo.offers import BAZAAR, weather_offer
from tests.builders.numbers import account, contract


def test_the_bazaar_extension_is_valid_for_the_x402_package() -> None:
    declared: Any = BAZAAR
    assert validate_discovery_extension(declared).valid is True


def test_what_is_answered_fits_what_is_declared() -> None:
    output = BAZAAR["schema"]["properties"]["output"]["properties"]["example"]
    for city in ("Berlin", "Oslo", "São Paulo", "x"):
        jsonschema.validate(forecast(city), output)


def test_the_same_city_has_the_same_weather_and_others_have_another() -> None:
    assert forecast("Oslo") == forecast("Oslo")
    assert len({forecast(str(number))["temperatureCelsius"] for number in range(50)}) > 20
    assert {forecast(str(number))["sky"] for number in range(200)} == set(SKIES)


def test_it_snows_only_where_it_freezes() -> None:
    found = [forecast(str(number)) for number in range(200)]
    assert all(each["temperatureCelsius"] < 0 for each in found if each["sky"] == "snow")


def told(**over: str) -> Configuration:
    given = {
        "SELLER_NETWORK": "stellar:local",
        "SELLER_ASSET": contract(1),
        "SELLER_PAY_TO": account(1),
        "SELLER_FACILITATOR": "http://127.0.0.1:8000/facilitator",
    }
    return configuration(given | over)


def test_the_offer_has_one_way_to_pay() -> None:
    offer = weather_offer(told())
    (terms,) = offer.accepts
    assert (terms.amount, terms.max_timeout_seconds, terms.extra) == ("500000", 60, {"areFeesSponsored": True})
    document = offer.required("http://127.0.0.1:8001/weather/Oslo", "Payment required").write()
    assert document["extensions"]["bazaar"] == BAZAAR
    assert document["resource"]["serviceName"] == "Demo Weather"


def test_price_and_time_can_be_told() -> None:
    (terms,) = weather_offer(told(SELLER_PRICE="1.5", SELLER_SECONDS="120")).accepts
    assert (terms.amount, terms.max_timeout_seconds) == ("15000000", 120)


def test_a_price_that_is_none_is_seen_at_start() -> None:
    with pytest.raises(ValueError, match="more than nothing"):
        weather_offer(told(SELLER_PRICE="0"))


def test_what_is_missing_is_named() -> None:
    with pytest.raises(SystemExit, match=r"Not set: SELLER_ASSET, SELLER_PAY_TO\."):
        configuration({"SELLER_NETWORK": "stellar:local", "SELLER_FACILITATOR": "http://x", "SELLER_ASSET": ""})
