"""Trustlines, authorisations and balances on the local ledger: named, or told by the contract's own number."""

from __future__ import annotations

import pytest
from stellar_sdk import Keypair

from payments.x402 import reasons
from payments.x402.ledger_keys import Token
from tests.payments.sandbox.running import RunningSandbox
from tests.payments.x402.on_ledger import answer, by_hand, terms, token


@pytest.fixture
def payer(ledger: RunningSandbox) -> Keypair:
    return ledger.funded(Keypair.random(), "1")


@pytest.fixture
def seller(ledger: RunningSandbox) -> str:
    return ledger.funded(Keypair.random(), "0").public_key


def test_v34_pay_to_without_trustline(ledger: RunningSandbox, payer: Keypair) -> None:
    nobody = Keypair.random()
    offer = terms(ledger, nobody.public_key)
    missing = {
        "isValid": False,
        "invalidReason": reasons.SIMULATION_FAILED,
        "payer": payer.public_key,
        "extra": {"code": "TRUSTLINE_REQUIRED", "details": {"who": "payTo"}},
    }
    payload = by_hand(ledger, offer, payer)
    assert answer(ledger.url, payload, offer, token=token(ledger)) == missing
    ledger.friendbot(nobody.public_key)
    assert answer(ledger.url, payload, offer, token=token(ledger)) == missing
    ledger.trust(nobody)
    assert answer(ledger.url, payload, offer, token=token(ledger))["isValid"]


def test_a_payer_without_trustline_is_named_first(ledger: RunningSandbox) -> None:
    payer, nobody = Keypair.random(), Keypair.random()
    ledger.friendbot(payer.public_key)
    offer = terms(ledger, nobody.public_key)
    found = answer(ledger.url, by_hand(ledger, offer, payer), offer, token=token(ledger))
    assert found["extra"] == {"code": "TRUSTLINE_REQUIRED", "details": {"who": "payer"}}


@pytest.mark.parametrize("who", ["payer", "payTo"])
def test_who_may_not_hold_the_asset_is_named(ledger: RunningSandbox, payer: Keypair, seller: str, who: str) -> None:
    offer = terms(ledger, seller)
    payload = by_hand(ledger, offer, payer)
    ledger.control("authorise", address=payer.public_key if who == "payer" else seller, authorised=False)
    found = answer(ledger.url, payload, offer, token=token(ledger))
    assert (found["invalidReason"], found["extra"]) == (
        reasons.SIMULATION_FAILED,
        {"code": "TRUSTLINE_REQUIRED", "details": {"who": who}},
    )
    # Without knowing the token, the contract's own error number tells.
    told = answer(ledger.url, payload, offer)
    assert (told["invalidReason"], told["extra"]) == (
        reasons.SIMULATION_FAILED,
        {"code": "TRUSTLINE_REQUIRED", "details": {"contractError": 11}},
    )


def test_too_little_balance(ledger: RunningSandbox, payer: Keypair, seller: str) -> None:
    offer = terms(ledger, seller, amount="10000001")
    payload = by_hand(ledger, offer, payer)
    assert answer(ledger.url, payload, offer, token=token(ledger)) == {
        "isValid": False,
        "invalidReason": reasons.INSUFFICIENT_FUNDS,
        "payer": payer.public_key,
        "extra": {"code": "INSUFFICIENT_BALANCE", "details": {}},
    }
    all_of_it = terms(ledger, seller, amount="10000000")
    assert answer(ledger.url, by_hand(ledger, all_of_it, payer), all_of_it, token=token(ledger))["isValid"]


def test_v32_the_simulations_error_is_told_by_its_number(ledger: RunningSandbox, payer: Keypair, seller: str) -> None:
    offer = terms(ledger, seller, amount="10000001")
    assert answer(ledger.url, by_hand(ledger, offer, payer), offer) == {
        "isValid": False,
        "invalidReason": reasons.SIMULATION_FAILED,
        "payer": payer.public_key,
        "extra": {"code": "INSUFFICIENT_BALANCE", "details": {"contractError": 10}},
    }


def test_lumens_above_the_reserve_can_be_spent(ledger: RunningSandbox, payer: Keypair, seller: str) -> None:
    lumens = Token(ledger.native_contract, "XLM", "")
    free = ledger.native_balance(payer.public_key) - 3 * 5_000_000
    for amount, reason in ((free, None), (free + 1, reasons.INSUFFICIENT_FUNDS)):
        offer = terms(ledger, seller, asset=ledger.native_contract, amount=str(amount))
        found = answer(ledger.url, by_hand(ledger, offer, payer), offer, token=lumens)
        assert found.get("invalidReason") == reason
