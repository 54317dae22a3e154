from __future__ import annotations

from typing import Any

import pytest

from lensproject.core.x402.matching import contains, matching, wrong_echoes
from lensproject.core.x402.wire import PaymentRequirements
from tests.core.x402.documents import requirements


def terms(**over: Any) -> PaymentRequirements:
    return PaymentRequirements.read(requirements(**over))


def test_equal_terms_match_and_the_offer_is_given_back() -> None:
    offers = [terms(amount="5"), terms()]
    assert matching(offers, terms()) is offers[1]


@pytest.mark.parametrize(
    "over",
    [
        {"scheme": "upto"},
        {"network": "stellar:pubnet"},
        {"amount": "9999"},
        {"amount": "010000"},
        {"asset": "CCW67TSZV3SSS2HXMBQ5JFGCKJNXKZM7UQUWUZPUTHXSTZLEO7SJMI75"},
        {"payTo": "GCFIRY65OQE7DFP5KLNS2PF2LVZMUZYJX4OZIEQ36N2IQANUB5XVYOJR"},
        {"maxTimeoutSeconds": 61},
        {"extra": {"areFeesSponsored": False}},
        {"extra": {"areFeesSponsored": 1}},
        {"extra": {}},
        {"extra": None},
    ],
)
def test_other_terms_do_not(over: dict[str, Any]) -> None:
    assert matching([terms()], terms(**over)) is None


def test_a_client_may_add_to_extra() -> None:
    assert matching([terms()], terms(extra={"areFeesSponsored": True, "mine": 1})) is not None
    assert matching([terms(extra=None)], terms()) is not None


BAZAAR: dict[str, Any] = {"info": {"input": {"type": "http", "method": "GET"}}, "schema": {"type": "object"}}


@pytest.mark.parametrize(
    ("sent", "wrong"),
    [
        (None, []),
        ({}, []),
        ({"bazaar": BAZAAR}, []),
        ({"bazaar": {"info": BAZAAR["info"] | {"id": "mine"}}}, []),
        ({"bazaar": BAZAAR, "unknown": {}}, []),
        ({"bazaar": {"info": {"input": {"type": "http", "method": "POST"}}}}, ["bazaar"]),
        ({"bazaar": {"info": {}}}, ["bazaar"]),
        ({"bazaar": {}}, ["bazaar"]),
        ({"bazaar": None}, ["bazaar"]),
    ],
)
def test_extensions_are_echoed_or_left_out(sent: dict[str, Any] | None, wrong: list[str]) -> None:
    assert wrong_echoes({"bazaar": BAZAAR}, sent) == wrong


def test_contains_compares_types_too() -> None:
    assert contains({"a": [1, 2], "b": 1}, {"a": [1, 2]})
    assert not contains({"a": 1}, {"a": True})
    assert not contains({"a": [1, 2, 3]}, {"a": [1, 2]})
    assert not contains([], {})
