"""Prices turned into terms."""

from __future__ import annotations

from typing import Any

import pytest

from payments.x402.resource_server import Price, enhance, payment_requirements, supported_kind
from tests.payments.x402 import golden, made

KIND = {"x402Version": 2, "scheme": "exact", "network": "stellar:testnet", "extra": {"areFeesSponsored": True}}


def test_a_price_becomes_terms() -> None:
    found = payment_requirements(Price(golden.ASSET, "0.001"), network="stellar:testnet", pay_to=golden.PAY_TO)
    assert found == made.terms()


def test_decimals_and_more_extra() -> None:
    found = payment_requirements(
        Price(golden.ASSET, "0.05", decimals=2),
        network="stellar:testnet",
        pay_to=golden.ASSET,
        seconds=300,
        extra={"label": "x"},
    )
    assert (found.amount, found.max_timeout_seconds, found.pay_to) == ("5", 300, golden.ASSET)
    assert found.extra == {"areFeesSponsored": True, "label": "x"}


@pytest.mark.parametrize(
    ("price", "over", "says"),
    [
        (Price(golden.ASSET, "0.00000001"), {}, "7 decimals"),
        (Price(golden.ASSET, "1e-3"), {}, "plain decimal"),
        (Price(golden.ASSET, "0"), {}, "more than nothing"),
        (Price(golden.ASSET, "1"), {"seconds": 0}, "more than nothing"),
        (Price(golden.PAY_TO, "1"), {}, "token contract"),
        (Price(golden.ASSET, "1"), {"network": "stellar:mainnet"}, "no Stellar network"),
        (Price(golden.ASSET, "1"), {"pay_to": "M" + golden.PAY_TO[1:]}, "muxed"),
    ],
)
def test_a_sellers_mistake_is_named(price: Price, over: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        payment_requirements(price, **({"network": "stellar:testnet", "pay_to": golden.PAY_TO} | over))


def test_a_facilitators_kind_adds_to_extra() -> None:
    kinds = [KIND | {"network": "stellar:pubnet"}, KIND | {"x402Version": 1}, KIND | {"extra": {"note": 1}}]
    kind = supported_kind(kinds, "exact", "stellar:testnet")
    assert kind is kinds[2]
    assert enhance(made.terms(), kind).extra == {"areFeesSponsored": True, "note": 1}
    assert enhance(made.terms(extra=None), KIND).extra == {"areFeesSponsored": True}
    assert enhance(made.terms(), KIND | {"extra": None}) == made.terms()


@pytest.mark.parametrize("kinds", [None, {}, [], ["exact"], [KIND | {"scheme": "upto"}]])
def test_no_kind_for_these_terms(kinds: Any) -> None:
    assert supported_kind(kinds, "exact", "stellar:testnet") is None


def test_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="another scheme or network"):
        enhance(made.terms(), KIND | {"network": "stellar:pubnet"})
