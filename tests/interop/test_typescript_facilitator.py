"""What our client builds, the TypeScript facilitator verifies and settles."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from stellar_sdk import Keypair

from lensproject.core.stellar.rpc import Node as StellarNode
from lensproject.core.x402.wire import PaymentPayload, PaymentRequirements
from payments.x402.client import Unsigned, pay
from payments.x402.resource_server import Price, payment_requirements
from tests.interop.conftest import Ledger
from tests.interop.node import Node

TESTNET = "stellar:testnet"


@pytest.fixture(scope="module")
def facilitator(ledger: Ledger) -> Keypair:
    """The account that settles: it needs lumens only."""
    keypair = Keypair.random()
    ledger.sandbox.friendbot(keypair.public_key)
    return keypair


def terms(ledger: Ledger, amount: str = "0.0025", **more: Any) -> PaymentRequirements:
    return payment_requirements(Price(ledger.asset, amount), network=TESTNET, pay_to=ledger.seller, seconds=300, **more)


def paid(ledger: Ledger, payer: Keypair, requirements: PaymentRequirements) -> PaymentPayload:
    """A payment by our client."""

    async def sign(unsigned: Unsigned) -> bytes:
        return payer.sign(unsigned.digest)

    async def build() -> PaymentPayload:
        async with StellarNode(ledger.sandbox.url) as node:
            return await pay(requirements, payer=payer.public_key, sign=sign, node=node)

    return asyncio.run(build())


def ask(
    node: Node,
    ledger: Ledger,
    facilitator: Keypair,
    do: str,
    payload: PaymentPayload,
    requirements: PaymentRequirements,
) -> dict[str, Any]:
    answer = node.call(
        "facilitating",
        do,
        {
            "secret": facilitator.secret,
            "rpc": ledger.sandbox.url,
            "payload": payload.write(),
            "requirements": requirements.write(),
        },
    )
    assert isinstance(answer, dict)
    return answer


def test_it_verifies_what_our_client_builds(node: Node, ledger: Ledger, facilitator: Keypair) -> None:
    payer, requirements = ledger.payer(), terms(ledger)
    payload = paid(ledger, payer, requirements)
    for _ in range(2):
        answer = ask(node, ledger, facilitator, "verified", payload, requirements)
        assert answer == {"isValid": True, "payer": payer.public_key}
    assert ledger.sandbox.balance(payer.public_key) == 10_000_000


def test_it_settles_what_our_client_builds(node: Node, ledger: Ledger, facilitator: Keypair) -> None:
    payer, requirements = ledger.payer(), terms(ledger)
    before, lumens = ledger.sandbox.balance(ledger.seller), ledger.sandbox.native_balance(facilitator.public_key)
    answer = ask(node, ledger, facilitator, "settled", paid(ledger, payer, requirements), requirements)
    assert (answer["success"], answer["payer"], answer["network"]) == (True, payer.public_key, TESTNET)
    assert ledger.sandbox.balance(ledger.seller) == before + 25_000
    assert ledger.sandbox.balance(payer.public_key) == 10_000_000 - 25_000
    assert ledger.sandbox.native_balance(facilitator.public_key) < lumens
    found = node.call("rpc", "transaction", {"version": 17, "url": ledger.https, "hash": answer["transaction"]})
    assert found["status"] == "SUCCESS"


def test_it_does_not_settle_the_same_payment_twice(node: Node, ledger: Ledger, facilitator: Keypair) -> None:
    payer, requirements = ledger.payer(), terms(ledger)
    payload = paid(ledger, payer, requirements)
    assert ask(node, ledger, facilitator, "settled", payload, requirements)["success"] is True
    again = ask(node, ledger, facilitator, "settled", payload, requirements)
    assert (again["success"], again["errorReason"], again["transaction"]) == (
        False,
        "invalid_exact_stellar_payload_simulation_failed",
        "",
    )
    assert ledger.sandbox.balance(payer.public_key) == 10_000_000 - 25_000


def test_it_refuses_our_payment_for_other_terms(node: Node, ledger: Ledger, facilitator: Keypair) -> None:
    payer = ledger.payer()
    payload = paid(ledger, payer, terms(ledger))
    answer = ask(node, ledger, facilitator, "verified", payload, terms(ledger, "0.0026"))
    assert answer == {
        "isValid": False,
        "invalidReason": "invalid_exact_stellar_payload_wrong_amount",
        "payer": payer.public_key,
    }
