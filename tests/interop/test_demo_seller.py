"""The TypeScript client pays the demo seller, through our facilitator and through the TypeScript one."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from stellar_sdk import Keypair

from tests.interop.conftest import Ledger
from tests.interop.demo_seller import UNITS, demo_seller
from tests.interop.facilitator import facilitator_rows
from tests.interop.node import Node, ScriptFailed
from tests.servers.fixtures import StartWebServer


@pytest.fixture
def seller(tmp_path: Path, start_web_server: StartWebServer, ledger: Ledger) -> Iterator[str]:
    """The demo seller, whose payments our facilitator settles."""
    server = start_web_server("daphne", facilitator_rows(ledger.sandbox))
    with demo_seller(tmp_path, ledger, f"{server.url}/facilitator") as url:
        yield url


@pytest.fixture
def seller_elsewhere(tmp_path: Path, node: Node, ledger: Ledger) -> Iterator[str]:
    """The demo seller, whose payments the TypeScript facilitator settles."""
    facilitator = Keypair.random()
    ledger.sandbox.friendbot(facilitator.public_key)
    given = {"secret": facilitator.secret, "rpc": ledger.sandbox.url, "horizon": False}
    port = node.call("benchmark", "serve", given)
    with demo_seller(tmp_path, ledger, f"http://127.0.0.1:{port}") as url:
        yield url


def fetched(node: Node, ledger: Ledger, payer: Keypair, target: str) -> Any:
    return node.call("paying", "fetched", {"secret": payer.secret, "rpc": ledger.https, "target": target})


def sent(node: Node, target: str, signature: str | None) -> Any:
    """The same PAYMENT-SIGNATURE once more, by hand."""
    return node.call("paying", "sent", {"target": target, "signature": signature})


def document(header: str) -> Any:
    return json.loads(base64.b64decode(header, validate=True))


def test_the_typescript_client_pays_the_demo_seller(node: Node, ledger: Ledger, seller: str) -> None:
    payer, before = ledger.payer(), ledger.sandbox.balance(ledger.seller)
    answer = fetched(node, ledger, payer, f"{seller}/weather/Berlin")
    assert (answer["status"], answer["requests"]) == (200, 2)
    assert json.loads(answer["body"])["city"] == "Berlin"
    assert "private" in answer["headers"]["cache-control"]

    settlement = answer["settlement"]
    assert (settlement["success"], settlement["payer"]) == (True, payer.public_key)
    assert settlement["network"] == "stellar:testnet"
    found = node.call("rpc", "transaction", {"version": 17, "url": ledger.https, "hash": settlement["transaction"]})
    assert found["status"] == "SUCCESS"
    assert ledger.sandbox.balance(payer.public_key) == 10_000_000 - UNITS
    assert ledger.sandbox.balance(ledger.seller) == before + UNITS

    # The client's own bytes again: the answer that was paid for, and no second payment; no other answer.
    again = sent(node, f"{seller}/weather/Berlin", answer["signature"])
    assert (again["status"], again["body"], again["settlement"]) == (200, answer["body"], settlement)
    other = sent(node, f"{seller}/weather/Paris", answer["signature"])
    assert other["status"] == 402
    assert document(other["headers"]["payment-required"])["error"] == "invalid_transaction_state"
    assert "temperature" not in other["body"]
    assert ledger.sandbox.balance(payer.public_key) == 10_000_000 - UNITS


def test_the_demo_seller_is_paid_through_the_typescript_facilitator(
    node: Node, ledger: Ledger, seller_elsewhere: str
) -> None:
    payer = ledger.payer()
    answer = fetched(node, ledger, payer, f"{seller_elsewhere}/weather/Oslo")
    assert answer["status"] == 200
    assert (answer["settlement"]["success"], answer["settlement"]["payer"]) == (True, payer.public_key)
    assert ledger.sandbox.balance(payer.public_key) == 10_000_000 - UNITS

    # What the seller declared is what the payment carries.
    payment = document(answer["signature"])
    unpaid = sent(node, f"{seller_elsewhere}/weather/Oslo", None)
    required = document(unpaid["headers"]["payment-required"])
    assert payment["accepted"] == required["accepts"][0]
    assert payment["resource"] == required["resource"]
    assert payment["extensions"] == required["extensions"]
    assert payment["resource"]["url"] == f"{seller_elsewhere}/weather/Oslo"

    poor = ledger.payer("0.001")
    with pytest.raises(ScriptFailed, match=r"Error\(Contract, #10\)"):
        fetched(node, ledger, poor, f"{seller_elsewhere}/weather/Berlin")
    assert ledger.sandbox.balance(poor.public_key) == 10_000
