"""The cases of a resource server by their numbers (reference: section 11.3)."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from lensproject.core.x402.codec import encode_header
from tests.payments.seller.scripted import HASH, PENDING, SETTLED, Script, Shop, receipt, required
from tests.payments.x402 import golden
from tests.payments.x402.made import paying, terms

BROWSER = {"Accept": "text/html,*/*", "User-Agent": "Mozilla/5.0"}


def assert_unpaid(shop: Shop, response: HttpResponse, error: str) -> None:
    """402 with the terms, the view not run, and the facilitator not asked to settle."""
    assert response.status_code == 402
    assert required(response)["error"] == error
    assert response.content == b"{}"
    assert "PAYMENT-RESPONSE" not in response
    assert shop.ran == 0
    assert "settle" not in shop.script.calls()


def test_h1_no_payment(shop: Shop) -> None:
    response = shop.ask()

    assert_unpaid(shop, response, "Payment required")
    assert response["Cache-Control"] == "no-store"
    assert required(response) == {
        "x402Version": 2,
        "error": "Payment required",
        "resource": {"url": "http://testserver/weather/Oslo", "description": "The weather <now>"},
        "accepts": [terms().write()],
        "extensions": {"bazaar": shop.offer.extensions["bazaar"]},
    }
    assert shop.script.calls() == []


def test_h2_a_good_payment(shop: Shop) -> None:
    response = shop.ask(shop.payment())

    assert response.status_code == 200
    assert json.loads(response.content) == {"sky": "clear"}
    assert receipt(response) == SETTLED
    assert response["Cache-Control"] == "private, no-store"
    assert "ETag" not in response
    assert (shop.ran, shop.script.calls()) == (1, ["verify", "settle"])


def test_the_facilitator_is_asked_with_our_own_requirements(shop: Shop) -> None:
    shop.ask(shop.payment(accepted=terms().write() | {"extra": {"areFeesSponsored": True, "more": 1}}))

    for _, question in shop.script.asked:
        assert question["x402Version"] == 2
        assert question["paymentRequirements"] == terms().write()
        assert question["paymentPayload"]["accepted"]["extra"]["more"] == 1


@pytest.mark.parametrize(
    "header",
    [
        "",
        "not base64!",
        base64.b64encode(b"no json").decode(),
        base64.b64encode(b"[]").decode(),
        base64.b64encode(b'{"x402Version": 2, "x402Version": 2}').decode(),
        base64.b64encode(b"{}").decode(),
        "A" * 64_004,
    ],
)
def test_h3_an_unreadable_header(shop: Shop, header: str) -> None:
    assert_unpaid(shop, shop.ask(header), "invalid_payload")


def test_h4_other_base64(shop: Shop) -> None:
    document = json.dumps(shop.payment().write() | {"more": "ÿþýü~~~???"}, ensure_ascii=False).encode()
    good = base64.b64encode(document).decode()
    for header in (base64.urlsafe_b64encode(document).decode(), good.rstrip("="), good[:8] + "\t" + good[8:]):
        if header != good:
            assert_unpaid(shop, shop.ask(header), "invalid_payload")


def test_h6_more_keys_in_extra_are_accepted(shop: Shop) -> None:
    accepted = terms().write() | {"extra": {"areFeesSponsored": True, "memo": "x"}}
    assert shop.ask(shop.payment(accepted=accepted)).status_code == 200


def test_h7_other_values_in_extra_are_not(shop: Shop) -> None:
    accepted = terms().write() | {"extra": {"areFeesSponsored": False}}
    assert_unpaid(shop, shop.ask(shop.payment(accepted=accepted)), "No matching payment requirements")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("amount", "1"),
        ("payTo", golden.PAYER),
        ("network", "stellar:pubnet"),
        ("asset", "C" * 56),
        ("scheme", "upto"),
        ("maxTimeoutSeconds", 61),
    ],
)
def test_h5_terms_that_were_not_offered(shop: Shop, field: str, value: Any) -> None:
    response = shop.ask(shop.payment(accepted=terms().write() | {field: value}))
    assert_unpaid(shop, response, "No matching payment requirements")


def test_h8_an_extension_with_another_info(shop: Shop) -> None:
    wrong = {"bazaar": {"info": {"input": {"type": "http", "method": "POST"}}}}
    assert_unpaid(shop, shop.ask(shop.payment(extensions=wrong)), "extension_echo_mismatch")


def test_h9_extensions_may_be_left_out_or_added_to(shop: Shop) -> None:
    more = {"bazaar": {"info": {"input": {"type": "http", "method": "GET"}, "id": "x"}}, "other": {}}
    assert shop.ask(shop.payment(extensions=more)).status_code == 200


@pytest.mark.parametrize("version", [1, 3])
def test_h9b_another_version(shop: Shop, version: int) -> None:
    header = encode_header(shop.payment().write() | {"x402Version": version})
    assert_unpaid(shop, shop.ask(header), "invalid_x402_version")


def test_h9c_numbers_as_text_match_nothing(shop: Shop) -> None:
    document = shop.payment().write()
    document["accepted"]["maxTimeoutSeconds"] = "60"
    assert_unpaid(shop, shop.ask(encode_header(document)), "invalid_payload")


def test_h10_the_facilitator_says_invalid(shop: Shop) -> None:
    shop.script.verify = [{"isValid": False, "invalidReason": "insufficient_funds"}]
    assert_unpaid(shop, shop.ask(shop.payment()), "insufficient_funds")
    assert shop.script.calls() == ["verify"]


def test_h10_bytes_that_are_wrong_cost_the_facilitator_nothing(shop: Shop) -> None:
    assert_unpaid(shop, shop.ask(paying("AAAA")), "invalid_exact_stellar_payload_malformed")
    assert shop.script.calls() == []


@pytest.mark.parametrize("status", [400, 404, 500])
def test_h11_the_view_fails(shop: Shop, status: int) -> None:
    shop.answer = lambda request: HttpResponse("no weather today", status=status)

    response = shop.ask(shop.payment())

    assert (response.status_code, response.content) == (status, b"no weather today")
    assert "PAYMENT-RESPONSE" not in response
    assert shop.script.calls() == ["verify"]


def test_h11_the_view_raises(shop: Shop) -> None:
    def broken(request: Any) -> HttpResponse:
        raise RuntimeError("no weather")

    shop.answer = broken
    with pytest.raises(RuntimeError, match="no weather"):
        shop.ask(shop.payment())
    assert shop.script.calls() == ["verify"]


def test_h12_settling_fails(shop: Shop) -> None:
    failed = {
        "success": False,
        "errorReason": "settle_exact_stellar_transaction_failed",
        "transaction": HASH,
        "network": "stellar:testnet",
    }
    shop.script.settle = [failed]

    response = shop.ask(shop.payment())

    assert response.status_code == 402
    assert receipt(response) == failed
    assert required(response)["error"] == "settle_exact_stellar_transaction_failed"
    assert b"clear" not in response.content
    assert shop.ran == 1


def test_h13_pending_and_then_settled(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("payments.seller.selling.PENDING_PAUSE_SECONDS", 0.01)
    shop.script.settle = [PENDING, SETTLED]

    response = shop.ask(shop.payment())

    assert response.status_code == 200
    assert receipt(response) == SETTLED
    assert shop.script.calls() == ["verify", "settle", "settle"]


@pytest.mark.parametrize("broken", [500, 404, "<html>", "{}", '{"isValid": "yes"}', "x" * 64_001])
def test_h14_a_facilitator_that_gives_no_answer(shop: Shop, broken: Any) -> None:
    shop.script.verify = [broken]
    response = shop.ask(shop.payment())

    assert response.status_code == 503
    assert response["Retry-After"] == "5"
    assert (shop.ran, shop.script.calls()) == (0, ["verify"])


def test_h14_a_facilitator_that_is_not_there(script: Script) -> None:
    shop = Shop(script)
    shop.seller.facilitator = type(shop.seller.facilitator)("http://127.0.0.1:9/facilitator")  # type: ignore[call-arg]
    response = shop.ask(shop.payment())
    assert (response.status_code, shop.ran) == (503, 0)


def test_h15_version_1_only(shop: Shop) -> None:
    assert_unpaid(shop, shop.ask(**{"X-PAYMENT": "e30="}), "invalid_x402_version")


def test_h22_a_browser_gets_a_page_and_the_header(shop: Shop) -> None:
    response = shop.ask(**BROWSER)

    assert response.status_code == 402
    assert response["Content-Type"].startswith("text/html")
    assert "The weather &lt;now&gt;" in response.content.decode()
    assert required(response)["accepts"] == [terms().write()]


def test_h22_a_program_that_takes_html_does_not(shop: Shop) -> None:
    assert shop.ask(Accept="text/html", **{"User-Agent": "curl/8"})["Content-Type"] == "application/json"


def test_h23_a_preflight_is_not_charged(shop: Shop) -> None:
    request = RequestFactory().options("/weather/Oslo", headers={"Origin": "https://shop.example"})
    response = shop.seller.paid(shop.offer)(shop.view)(request)

    assert response.status_code == 204
    assert "PAYMENT-SIGNATURE" in response["Access-Control-Allow-Headers"]
    assert response["Access-Control-Expose-Headers"] == "PAYMENT-REQUIRED, PAYMENT-RESPONSE"
    assert response["Access-Control-Allow-Origin"] == "*"
    assert (shop.ran, shop.script.calls()) == (0, [])


def test_h23_who_has_cors_of_their_own_turns_ours_off(script: Script) -> None:
    shop = Shop(script, allow_origin=None)
    assert "Access-Control-Allow-Origin" not in shop.ask()


def test_h24_behind_a_tls_proxy_the_resource_has_its_public_address(script: Script) -> None:
    shop = Shop(script, base_url="https://weather.example/")
    response = shop.ask(path="/weather/Oslo?units=c")
    assert required(response)["resource"]["url"] == "https://weather.example/weather/Oslo?units=c"
