"""The PyPI package's own client, server and facilitator, with our scheme in each of them, on the local ledger."""

from __future__ import annotations

from typing import Any

import pytest
from stellar_sdk import Keypair
from x402 import schemas, x402ClientSync, x402FacilitatorSync, x402ResourceServerSync

from payments.x402 import reasons
from tests.payments.sandbox.running import RunningSandbox
from tests.payments.x402.peer import Client, Facilitator, Server


@pytest.fixture
def payer(ledger: RunningSandbox) -> Keypair:
    return ledger.funded(Keypair.random(), "1")


@pytest.fixture
def seller(ledger: RunningSandbox) -> str:
    return ledger.funded(Keypair.random(), "0").public_key


@pytest.fixture
def channel(ledger: RunningSandbox) -> Keypair:
    channel = Keypair.random()
    ledger.friendbot(channel.public_key)
    return channel


@pytest.fixture
def server(ledger: RunningSandbox, channel: Keypair) -> Any:
    facilitator = x402FacilitatorSync()
    facilitator.register([ledger.network], Facilitator(ledger, channel))
    server = x402ResourceServerSync(facilitator).register(ledger.network, Server(ledger))
    server.initialize()
    return server


def offered(server: Any, ledger: RunningSandbox, seller: str, price: str = "$0.001") -> Any:
    config = schemas.ResourceConfig(
        scheme="exact", pay_to=seller, price=price, network=ledger.network, max_timeout_seconds=60
    )
    (offer,) = server.build_payment_requirements(config)
    return offer


def paid(ledger: RunningSandbox, payer: Keypair, offer: Any) -> Any:
    client = x402ClientSync().set_spend_controls(False).register("stellar:*", Client(ledger, payer))
    resource = schemas.ResourceInfo(url="https://weather.example/")
    required = schemas.PaymentRequired(x402_version=2, resource=resource, accepts=[offer])
    return client.create_payment_payload(required)


def test_their_server_asks_in_our_terms(server: Any, ledger: RunningSandbox, seller: str) -> None:
    offer = offered(server, ledger, seller)
    assert offer.model_dump(by_alias=True, exclude_none=True) == {
        "scheme": "exact",
        "network": ledger.network,
        "amount": "10000",
        "asset": ledger.contract,
        "payTo": seller,
        "maxTimeoutSeconds": 60,
        "extra": {"areFeesSponsored": True},
    }


def test_their_client_pays_their_server(server: Any, ledger: RunningSandbox, payer: Keypair, seller: str) -> None:
    offer = offered(server, ledger, seller)
    payload = paid(ledger, payer, offer)
    verified = server.verify_payment(payload, offer)
    assert (verified.is_valid, verified.payer) == (True, payer.public_key)
    assert ledger.balance(seller) == 0
    settled = server.settle_payment(payload, offer)
    assert (settled.success, settled.payer, settled.network) == (True, payer.public_key, ledger.network)
    assert len(settled.transaction) == 64
    assert (ledger.balance(seller), ledger.balance(payer.public_key)) == (10_000, 9_990_000)
    again = server.settle_payment(payload, offer)
    assert (again.success, again.error_reason, again.transaction) == (False, reasons.INVALID_STATE, "")
    assert ledger.balance(seller) == 10_000


def test_s3_another_price_is_refused_and_nothing_moves(
    server: Any, ledger: RunningSandbox, payer: Keypair, seller: str
) -> None:
    payload = paid(ledger, payer, offered(server, ledger, seller))
    dearer = offered(server, ledger, seller, "$0.002")
    refused = server.verify_payment(payload, dearer)
    assert (refused.is_valid, refused.invalid_reason) == (False, reasons.WRONG_AMOUNT)
    failed = server.settle_payment(payload, dearer)
    assert (failed.success, failed.error_reason, failed.transaction) == (False, reasons.WRONG_AMOUNT, "")
    assert ledger.balance(seller) == 0
