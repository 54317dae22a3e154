"""One payment opens one answer."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.http import HttpResponse, JsonResponse, StreamingHttpResponse

from payments.seller import HttpFacilitator
from payments.seller.claims import MOST_BYTES
from tests.payments.seller.scripted import PENDING, SETTLED, Shop, receipt, required

FAILED = {"success": False, "errorReason": "invalid_transaction_state", "transaction": "", "network": "stellar:testnet"}


def test_the_same_request_again_gets_the_stored_answer(shop: Shop) -> None:
    first = shop.ask(shop.payment())
    again = shop.ask(shop.payment())

    assert (again.status_code, again.content) == (200, first.content)
    assert receipt(again) == SETTLED
    assert again["Content-Type"] == first["Content-Type"]
    assert again["Cache-Control"] == "private, no-store"
    assert (shop.ran, shop.script.calls()) == (1, ["verify", "settle"])


@pytest.mark.parametrize("path", ["/weather/Bergen", "/weather/Oslo?units=f"])
def test_another_request_with_the_same_payment_gets_nothing(shop: Shop, path: str) -> None:
    shop.ask(shop.payment())
    response = shop.ask(shop.payment(), path=path)

    assert response.status_code == 402
    assert required(response)["error"] == "invalid_transaction_state"
    assert shop.ran == 1


def test_the_same_payment_in_another_envelope_is_the_same(shop: Shop) -> None:
    """What counts is what the payer signed, not the header's bytes."""
    shop.ask(shop.payment())
    response = shop.ask(shop.payment(resource={"url": "https://elsewhere.example"}), path="/weather/Bergen")
    assert required(response)["error"] == "invalid_transaction_state"


def test_while_it_runs_the_same_request_is_told_to_wait(shop: Shop) -> None:
    inside, go_on = threading.Event(), threading.Event()
    plain = shop.answer

    def slow(request: Any) -> HttpResponse:
        inside.set()
        assert go_on.wait(10)
        found: HttpResponse = plain(request)
        return found

    shop.answer = slow
    answers: list[Any] = []
    running = threading.Thread(target=lambda: answers.append(shop.ask(shop.payment())))
    running.start()
    assert inside.wait(10)

    second = shop.ask(shop.payment())
    other = shop.ask(shop.payment(), path="/weather/Bergen")
    go_on.set()
    running.join()

    assert (second.status_code, second["Retry-After"]) == (409, "1")
    assert required(other)["error"] == "invalid_transaction_state"
    assert answers[0].status_code == 200
    assert (shop.ran, shop.script.calls()) == (1, ["verify", "settle"])


def test_a_claim_is_given_back_when_the_view_fails(shop: Shop) -> None:
    plain = shop.answer
    shop.answer = lambda request: HttpResponse(status=500)
    assert shop.ask(shop.payment()).status_code == 500
    shop.answer = plain

    assert shop.ask(shop.payment()).status_code == 200


def test_a_claim_is_given_back_when_settling_fails(shop: Shop) -> None:
    shop.script.settle = [FAILED, SETTLED]
    assert shop.ask(shop.payment()).status_code == 402
    assert shop.ask(shop.payment()).status_code == 200


@pytest.mark.parametrize("broken", [500, "<html>"])
def test_a_claim_is_given_back_when_the_facilitator_is_away_before_the_view(shop: Shop, broken: Any) -> None:
    shop.script.verify = [broken, {"isValid": True}]
    assert shop.ask(shop.payment()).status_code == 503
    assert shop.ask(shop.payment()).status_code == 200


def test_what_is_pending_is_fetched_later_with_the_same_payment(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("payments.seller.selling.PENDING_PAUSE_SECONDS", 0.01)
    shop.script.settle = [PENDING, PENDING, SETTLED]

    first = shop.ask(shop.payment())
    assert first.status_code == 402
    assert receipt(first) == PENDING
    assert required(first)["error"] == "settlement_pending"
    assert b"clear" not in first.content
    again = shop.ask(shop.payment())

    assert (again.status_code, receipt(again)) == (200, SETTLED)
    assert shop.ran == 1


def test_a_settlement_without_an_answer_is_asked_for_again_and_never_lost(shop: Shop) -> None:
    shop.script.settle = [500, SETTLED]

    first = shop.ask(shop.payment())
    assert first.status_code == 503
    assert b"clear" not in first.content
    again = shop.ask(shop.payment())

    assert (again.status_code, receipt(again)) == (200, SETTLED)
    assert shop.ran == 1


def test_a_large_answer_is_handed_over_once(shop: Shop) -> None:
    shop.answer = lambda request: HttpResponse(b"x" * (MOST_BYTES + 1))
    assert len(shop.ask(shop.payment()).content) == MOST_BYTES + 1

    assert required(shop.ask(shop.payment()))["error"] == "invalid_transaction_state"
    assert shop.ran == 1


def test_a_repeatable_view_runs_again_for_a_large_answer_and_is_not_settled_again(shop: Shop) -> None:
    shop.offer = type(shop.offer)(accepts=shop.offer.accepts, repeatable=True)
    shop.answer = lambda request: HttpResponse(b"x" * (MOST_BYTES + 1))
    shop.ask(shop.payment())

    again = shop.ask(shop.payment())

    assert (again.status_code, receipt(again)) == (200, SETTLED)
    assert (shop.ran, shop.script.calls()) == (2, ["verify", "settle"])


def test_a_stream_is_refused_and_not_charged(shop: Shop) -> None:
    shop.answer = lambda request: StreamingHttpResponse(iter([b"a", b"b"]))
    with pytest.raises(TypeError, match="not as a stream"):
        shop.ask(shop.payment())
    assert shop.script.calls() == ["verify"]

    shop.answer = lambda request: JsonResponse({})
    assert shop.ask(shop.payment()).status_code == 200


@pytest.mark.django_db
def test_a_facilitator_is_never_asked_inside_a_transaction(shop: Shop) -> None:
    from django.db import transaction

    from lensproject.core.outside import TransactionOpen

    with transaction.atomic(), pytest.raises(TransactionOpen):
        shop.ask(shop.payment())
    assert shop.script.calls() == []
    assert shop.ask(shop.payment()).status_code == 200


def test_a_key_is_sent_to_who_asks_for_one(shop: Shop) -> None:
    shop.seller.facilitator = HttpFacilitator(shop.script.url, key="lens_1_2")
    shop.ask(shop.payment())
    assert shop.script.keys == ["Bearer lens_1_2"] * 2


@pytest.mark.parametrize("url", ["ftp://x", "http://", "http://host/?q=1", "host/facilitator"])
def test_a_url_that_is_none_is_refused_at_start(url: str) -> None:
    with pytest.raises(ValueError, match="facilitator's URL"):
        HttpFacilitator(url)
