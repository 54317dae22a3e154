"""What the TypeScript client builds, our facilitator verifies and settles over HTTP."""

from __future__ import annotations

import pytest

from tests.interop import facilitator
from tests.interop.conftest import Ledger
from tests.interop.facilitator import facilitator_rows
from tests.interop.node import Node
from tests.interop.test_typescript_client import built
from tests.interop.test_typescript_facilitator import TESTNET, terms
from tests.servers.fixtures import StartWebServer


@pytest.fixture
def url(start_web_server: StartWebServer, ledger: Ledger) -> str:
    return start_web_server("daphne", facilitator_rows(ledger.sandbox)).url


def test_it_verifies_and_settles_what_the_typescript_client_builds(node: Node, ledger: Ledger, url: str) -> None:
    kind = {"x402Version": 2, "scheme": "exact", "network": TESTNET, "extra": {"areFeesSponsored": True}}
    assert facilitator.supported(url)["kinds"] == [kind]
    payer, requirements = ledger.payer(), terms(ledger)
    payload, accepted = built(node, ledger, payer, requirements), requirements.write()
    assert facilitator.verify(url, payload, accepted) == {"isValid": True, "payer": payer.public_key}
    assert ledger.sandbox.balance(payer.public_key) == 10_000_000

    before = ledger.sandbox.balance(ledger.seller)
    settled = facilitator.settle(url, payload, accepted)
    assert (settled["success"], settled["payer"], settled["network"]) == (True, payer.public_key, TESTNET)
    assert ledger.sandbox.balance(ledger.seller) == before + 25_000
    assert ledger.sandbox.balance(payer.public_key) == 10_000_000 - 25_000
    found = node.call("rpc", "transaction", {"version": 14, "url": ledger.https, "hash": settled["transaction"]})
    assert found["status"] == "SUCCESS"

    # Asked again, the first result; nothing moves a second time.
    assert facilitator.settle(url, payload, accepted) == settled
    assert ledger.sandbox.balance(payer.public_key) == 10_000_000 - 25_000


def test_it_refuses_a_typescript_payment_for_other_terms(node: Node, ledger: Ledger, url: str) -> None:
    payer = ledger.payer()
    payload = built(node, ledger, payer, terms(ledger))
    other = terms(ledger, "0.0026").write()
    verified, settled = facilitator.verify(url, payload, other), facilitator.settle(url, payload, other)
    reason = "invalid_exact_stellar_payload_wrong_amount"
    assert (verified["isValid"], verified["invalidReason"], verified["payer"]) == (False, reason, payer.public_key)
    assert (settled["success"], settled["errorReason"], settled["transaction"]) == (False, reason, "")
    assert ledger.sandbox.balance(payer.public_key) == 10_000_000
