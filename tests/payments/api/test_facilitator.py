"""/facilitator over HTTP: the shapes of x402's facilitator API, and every wrong request told in our error shape."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from lensproject.core import clock
from payments.api import facilitator
from payments.api.limits import Limiter
from payments.models import FacilitatorSettlement
from tests.builders import (
    make_key,
    make_network,
    make_organisation,
    make_seller,
    make_seller_address,
    make_source_account,
)
from tests.payments.x402 import golden
from tests.payments.x402.made import paying, terms

SUPPORTED, VERIFY, SETTLE = "/facilitator/supported", "/facilitator/verify", "/facilitator/settle"
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def counted_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facilitator, "limiter", Limiter())


def body(**over: Any) -> dict[str, Any]:
    return {"x402Version": 2, "paymentPayload": paying().write(), "paymentRequirements": terms().write()} | over


def post(path: str, document: Any, **headers: str) -> Any:
    return Client().post(path, document, content_type="application/json", headers=headers)


def opened(settings: Settings) -> None:
    settings.LENS = settings.LENS.model_copy(update={"facilitator_open": True})


def token(**over: Any) -> str:
    seller = make_seller()
    network = make_network("stellar:testnet", rpc_url="http://127.0.0.1:9")
    make_seller_address(seller=seller, network=network, address=golden.PAY_TO, **over)
    return make_key(organisation=make_organisation(), seller=seller, can_settle=True, networks=[network])[1]


def test_supported_lists_kinds_extensions_and_signers() -> None:
    account = make_source_account(network=make_network("stellar:testnet"))

    response = Client().get(SUPPORTED)

    assert response.status_code == 200
    assert response["Cache-Control"] == "no-store"
    assert response.json() == {
        "kinds": [
            {"x402Version": 2, "scheme": "exact", "network": "stellar:testnet", "extra": {"areFeesSponsored": True}}
        ],
        "extensions": [],
        "signers": {"stellar:*": [account.address]},
    }


@pytest.mark.parametrize("state", ["low", "paused"])
def test_supported_drops_a_kind_whose_accounts_cannot_pay(state: str) -> None:
    make_source_account(state=state)
    assert Client().get(SUPPORTED).json() == {"kinds": [], "extensions": [], "signers": {"stellar:*": []}}


def test_supported_drops_a_network_without_a_node() -> None:
    make_source_account(network=make_network("stellar:testnet", rpc_url=""))
    assert Client().get(SUPPORTED).json()["kinds"] == []


def test_supported_never_lists_mainnet_unless_the_setting_allows_it(settings: Settings) -> None:
    make_source_account(network=make_network("stellar:pubnet"))
    assert Client().get(SUPPORTED).json()["kinds"] == []
    settings.LENS = settings.LENS.model_copy(update={"mainnet_enabled": True})
    assert [kind["network"] for kind in Client().get(SUPPORTED).json()["kinds"]] == ["stellar:pubnet"]


def test_a_refused_payment_is_an_answer_with_status_200() -> None:
    response = post(VERIFY, body())

    assert response.status_code == 200
    assert response.json() == {"isValid": False, "invalidReason": "invalid_network"}


def test_verify_needs_no_key_and_settle_does() -> None:
    assert post(VERIFY, body()).status_code == 200
    response = post(SETTLE, body())

    assert response.status_code == 401
    assert response.json()["error"]["code"] == "UNAUTHENTICATED"
    assert response["WWW-Authenticate"] == 'Bearer realm="lens-bazaar", scope="facilitator"'
    assert not FacilitatorSettlement.objects.exists()


def test_settle_answers_what_fails_with_status_200_when_open(settings: Settings) -> None:
    opened(settings)
    assert post(SETTLE, body()).json() == {
        "success": False,
        "errorReason": "invalid_network",
        "transaction": "",
        "network": "stellar:testnet",
    }


def test_settle_takes_a_key_of_scope_facilitator_whose_address_is_proved() -> None:
    key = token(proved_at=clock.now())
    response = post(SETTLE, body(), Authorization=f"Bearer {key}")

    assert response.status_code == 200
    assert response.json()["errorReason"] == "invalid_network"  # No account of ours is there.


def test_settle_refuses_a_key_whose_address_is_not_proved() -> None:
    response = post(SETTLE, body(), Authorization=f"Bearer {token()}")

    assert response.status_code == 403
    assert response.json()["error"]["details"] == {"payTo": golden.PAY_TO}


@pytest.mark.parametrize("header", ["Bearer wrong", "Basic abc", "Bearer lens_0000_1111"])
def test_a_wrong_key_is_refused_also_when_open(settings: Settings, header: str) -> None:
    opened(settings)
    response = post(SETTLE, body(), Authorization=header)
    assert response.status_code == 401
    assert response.json()["error"]["code"] == "UNAUTHENTICATED"


@pytest.mark.parametrize("path", [VERIFY, SETTLE])
@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b" ", "The body is not JSON."),
        (b"[]", "The body is not a JSON object."),
        (b"\xff", "The body is not UTF-8."),
        (b'{"paymentPayload": {}, "paymentPayload": {}}', "The body has a key twice."),
        (b"{}", "The body has no object paymentPayload and no object paymentRequirements."),
        (b'{"paymentPayload": {}}', "The body has no object paymentRequirements."),
        (b'{"paymentPayload": {}, "paymentRequirements": null}', "The body has no object paymentRequirements."),
        (b'{"paymentHeader": "x", "paymentRequirements": {}}', "The body has no object paymentPayload."),
    ],
)
def test_v66_a_body_that_is_no_request_is_400(settings: Settings, path: str, raw: bytes, message: str) -> None:
    opened(settings)
    response = post(path, raw)

    assert response.status_code == 400
    assert response.json()["error"]["code"] == "BAD_REQUEST"
    assert response.json()["error"]["message"] == message


@pytest.mark.parametrize(
    ("over", "reason"),
    [
        ({"paymentPayload": {"x402Version": 1}}, "invalid_x402_version"),
        ({"paymentPayload": {}}, "invalid_payload"),
        ({"paymentRequirements": {}}, "invalid_payment_requirements"),
        ({"paymentRequirements": terms().write() | {"maxTimeoutSeconds": "60"}}, "invalid_payment_requirements"),
        ({"paymentRequirements": terms().write() | {"amount": 10000}}, "invalid_payment_requirements"),
        ({"paymentPayload": paying().write() | {"payload": None}}, "invalid_exact_stellar_payload_malformed"),
    ],
)
def test_documents_that_do_not_fit_are_refused_with_their_reason(
    settings: Settings, over: dict[str, Any], reason: str
) -> None:
    opened(settings)
    assert post(VERIFY, body(**over)).json()["invalidReason"] == reason
    settled = post(SETTLE, body(**over)).json()
    assert (settled["success"], settled["errorReason"], settled["transaction"]) == (False, reason, "")


def test_a_body_of_more_than_64_kb_is_413() -> None:
    response = post(VERIFY, body(more="x" * 64_000))
    assert response.status_code == 413
    assert response.json()["error"]["details"] == {"maxBytes": 64_000}


def test_another_media_type_is_415() -> None:
    response = Client().post(VERIFY, json.dumps(body()), content_type="text/plain")
    assert response.status_code == 415


@pytest.mark.parametrize(("path", "allowed"), [(SUPPORTED, "GET, HEAD"), (VERIFY, "POST"), (SETTLE, "POST")])
def test_another_method_is_405(path: str, allowed: str) -> None:
    response = Client().delete(path)
    assert response.status_code == 405
    assert response["Allow"] == allowed
    assert response.json()["error"]["code"] == "METHOD_NOT_ALLOWED"


def test_an_unknown_path_is_404_in_the_same_shape() -> None:
    response = Client().get("/facilitator/nothing")
    assert response.status_code == 404
    assert response.json()["error"]["code"] == "RESOURCE_NOT_FOUND"


def test_a_post_needs_no_csrf_token() -> None:
    response = Client(enforce_csrf_checks=True).post(VERIFY, body(), content_type="application/json")
    assert response.status_code == 200


def test_too_many_requests_are_429(settings: Settings) -> None:
    settings.LENS = settings.LENS.model_copy(update={"facilitator_per_minute": 2})
    statuses = [Client().get(SUPPORTED).status_code for _ in range(2)]
    response = Client().get(SUPPORTED)

    assert statuses == [200, 200]
    assert response.status_code == 429
    assert 1 <= int(response["Retry-After"]) <= 60
    assert post(VERIFY, body()).status_code == 429


def test_a_fault_of_ours_is_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr(facilitator, "supported", broken)
    response = Client().get(SUPPORTED)

    assert response.status_code == 500
    assert response.json()["error"]["code"] == "INTERNAL_ERROR"
    assert "secret" not in response.content.decode()
