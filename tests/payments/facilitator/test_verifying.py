"""Verifying as the facilitator's door does it: on a real ledger, with the rows of what is listed here."""

from __future__ import annotations

from stellar_sdk import Keypair

from bazaar.models import Network
from payments.models import FacilitatorSettlement
from tests.payments.facilitator.world import World, rows, settled, verdict


def test_v63_a_valid_payment_is_valid_as_often_as_it_is_asked_for(world: World) -> None:
    terms = world.terms()
    payment = world.payment(terms)
    valid = {"isValid": True, "payer": world.payer.public_key}

    assert verdict(payment, terms) == valid
    assert verdict(payment, terms) == valid
    assert rows() == []
    assert world.units_of(world.seller) == 0


def test_v9_a_network_that_is_not_served_is_refused(world: World) -> None:
    terms = world.terms()
    payment = world.payment(terms)
    Network.objects.filter(name="stellar:local").update(enabled=False, is_default=False)

    assert verdict(payment, terms)["invalidReason"] == "invalid_network"


def test_mainnet_is_not_served_unless_the_setting_allows_it(world: World) -> None:
    Network.objects.filter(name="stellar:local").update(
        name="stellar:pubnet", passphrase="Public Global Stellar Network ; September 2015"
    )
    terms = world.terms(network="stellar:pubnet")
    payment = world.payment(world.terms()).model_copy(update={"accepted": terms})

    assert verdict(payment, terms)["invalidReason"] == "invalid_network"


def test_a_network_under_another_passphrase_is_none_that_we_serve(world: World) -> None:
    terms = world.terms()
    payment = world.payment(terms)
    Network.objects.filter(name="stellar:local").update(passphrase="Another network")

    assert verdict(payment, terms)["invalidReason"] == "invalid_network"


def test_v64_a_node_that_is_away_is_an_answer(world: World) -> None:
    terms = world.terms()
    payment = world.payment(terms)
    Network.objects.filter(name="stellar:local").update(rpc_url="http://127.0.0.1:9")

    answer = verdict(payment, terms)

    assert answer["isValid"] is False
    assert answer["invalidReason"] == "unexpected_verify_error"
    assert answer["payer"] == world.payer.public_key


def test_v34_a_payee_without_a_trustline_is_named(world: World) -> None:
    stranger = Keypair.random()
    terms = world.terms(pay_to=stranger.public_key)
    payment = world.payment(world.terms())
    assert verdict(payment, terms)["invalidReason"] == "invalid_exact_stellar_payload_wrong_recipient"
    assert FacilitatorSettlement.objects.count() == 0


def test_what_was_settled_is_no_longer_valid(world: World) -> None:
    terms = world.terms()
    payment = world.payment(terms)
    assert settled(payment, terms).success

    answer = verdict(payment, terms)

    assert answer["invalidReason"] == "invalid_transaction_state"
    assert answer["extra"] == {"code": "REPLAY_DETECTED", "details": {}}


def test_nobody_pays_themselves_at_our_cost(world: World) -> None:
    terms = world.terms(pay_to=world.payer.public_key)
    payment = world.payment(terms)

    assert verdict(payment, terms)["invalidReason"] == "invalid_payment_requirements"
    assert settled(payment, terms).error_reason == "invalid_payment_requirements"
    assert rows() == []


def test_v24_our_own_account_pays_nothing(world: World) -> None:
    world.ledger.trust(world.source_key)
    world.ledger.mint(world.source.address, "1")
    terms = world.terms()
    payment = world.payment(terms, payer=world.source_key)

    assert verdict(payment, terms)["invalidReason"] == "invalid_exact_stellar_payload_facilitator_is_payer"
