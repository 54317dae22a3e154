"""Settling on a real ledger: case numbers are those of the reference, section 11.2."""

from __future__ import annotations

import asyncio
import re
from datetime import timedelta

import pytest

from bazaar.models import Asset
from lensproject.core import clock
from lensproject.core.callers import ANONYMOUS
from lensproject.core.x402.wire import SettlementResponse
from payments.facilitator.settling import settle
from payments.models import SettlementAttempt, SourceAccount
from tests.payments.facilitator.world import World, attempts, rows, run, settled, until

HASH = re.compile(r"[0-9a-f]{64}")
PRICE = 500_000


def test_s1_a_valid_payment_moves_the_amount_once(world: World) -> None:
    terms = world.terms()
    payment = world.payment(terms)
    before = world.units_of(world.payer)

    answer = settled(payment, terms)

    assert answer.write() == {
        "success": True,
        "payer": world.payer.public_key,
        "transaction": answer.transaction,
        "network": "stellar:local",
        "amount": "500000",
    }
    assert HASH.fullmatch(answer.transaction)
    assert world.units_of(world.payer) == before - PRICE
    assert world.units_of(world.seller) == PRICE


def test_the_rows_say_what_happened(world: World) -> None:
    terms = world.terms()
    answer = settled(world.payment(terms), terms)

    (row,), (attempt,) = rows(), attempts()

    assert (row.state, row.transaction, row.units) == ("settled", answer.transaction, PRICE)
    assert (row.payer, row.pay_to) == (world.payer.public_key, world.seller.public_key)
    assert (row.holder, row.leased_until, row.reason) == ("", None, "")
    assert row.ledger is not None
    assert (attempt.state, attempt.inner_hash, attempt.envelope) == ("success", answer.transaction, "")
    assert attempt.fee_charged is not None
    assert 0 < attempt.fee_charged <= attempt.fee_ceiling
    assert attempt.max_ledger == row.expiration + 1


def test_our_account_pays_the_fee_that_was_written_down(world: World) -> None:
    before = world.ledger.native_balance(world.source.address)
    terms = world.terms()

    settled(world.payment(terms), terms)

    assert world.ledger.native_balance(world.source.address) == before - (attempts()[0].fee_charged or 0)


def test_s3_what_fails_verification_leaves_nothing(world: World) -> None:
    payment = world.payment(world.terms())

    answer = settled(payment, world.terms("0.06"))

    assert answer.success is False
    assert answer.error_reason == "invalid_exact_stellar_payload_wrong_amount"
    assert (answer.transaction, answer.payer) == ("", world.payer.public_key)
    assert (rows(), attempts()) == ([], [])


def test_s5_a_busy_node_is_asked_again(world: World) -> None:
    terms = world.terms()
    payment = world.payment(terms)
    world.ledger.control("busy", count=3)

    assert settled(payment, terms).success is True
    assert len(attempts()) == 1
    assert world.units_of(world.seller) == PRICE


def test_a_send_whose_answer_is_lost_is_followed_by_its_hash(world: World) -> None:
    terms = world.terms()
    payment = world.payment(terms)
    world.ledger.control("lose_replies", count=1)

    assert settled(payment, terms).success is True
    assert attempts()[0].unanswered is True
    assert world.units_of(world.seller) == PRICE


def test_s7_a_transaction_that_fails_on_chain_is_told_with_its_hash_and_may_be_tried_again(world: World) -> None:
    terms = world.terms()
    payment = world.payment(terms)
    world.ledger.control("fail_transfers", ledgers=10)

    answer = settled(payment, terms)

    assert answer.error_reason == "settle_exact_stellar_transaction_failed"
    assert HASH.fullmatch(answer.transaction)
    assert (rows()[0].state, attempts()[0].state) == ("failed", "failed")
    assert attempts()[0].fee_charged
    assert world.units_of(world.seller) == 0

    world.ledger.control("clear")
    again = settled(payment, terms)

    assert again.success is True
    assert again.transaction != answer.transaction
    assert [attempt.state for attempt in attempts()] == ["failed", "success"]
    assert len(rows()) == 1
    assert world.units_of(world.seller) == PRICE


def test_s8_what_is_not_final_in_time_is_pending_with_its_hash(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    terms = world.terms()
    payment = world.payment(terms)
    monkeypatch.setattr("payments.facilitator.settling.SECONDS", 1.0)
    world.ledger.control("ledger_seconds", seconds=0)
    try:
        answer = settled(payment, terms)
    finally:
        world.ledger.control("ledger_seconds", seconds=0.2)

    assert (answer.success, answer.error_reason) == (False, "settlement_pending")
    assert answer.transaction == attempts()[0].inner_hash
    assert rows()[0].state == "working"
    assert attempts()[0].state == "open"


def test_s10_asked_again_the_first_result_is_given_and_nothing_is_sent(world: World) -> None:
    terms = world.terms()
    payment = world.payment(terms)
    first = settled(payment, terms)

    assert settled(payment, terms) == first
    assert len(attempts()) == 1
    assert world.units_of(world.seller) == PRICE


def test_for_another_resource_the_payment_is_used(world: World) -> None:
    terms = world.terms()
    payment = world.payment(terms)
    first = settled(payment, terms)
    assert payment.resource is not None
    other = payment.model_copy(
        update={"resource": payment.resource.model_copy(update={"url": "https://other.example"})}
    )

    answer = settled(other, terms)

    assert (answer.success, answer.error_reason) == (False, "invalid_transaction_state")
    assert answer.transaction == first.transaction


def test_for_other_requirements_the_payment_is_used(world: World) -> None:
    terms = world.terms()
    payment = world.payment(terms)
    settled(payment, terms)

    assert settled(payment, world.terms(seconds=599)).error_reason == "invalid_transaction_state"


def test_after_two_minutes_the_first_result_is_not_given_again(world: World) -> None:
    terms = world.terms()
    payment = world.payment(terms)
    settled(payment, terms)

    with clock.frozen(clock.now() + timedelta(seconds=121)):
        assert settled(payment, terms).error_reason == "invalid_transaction_state"


def test_s12_two_payments_on_one_account_are_settled_one_after_the_other(world: World) -> None:
    terms = world.terms()
    first, second = world.payment(terms), world.payment(terms)

    async def both() -> list[SettlementResponse]:
        return await asyncio.gather(*(settle(each, terms, ANONYMOUS) for each in (first, second)))

    answers = run(both())

    assert [answer.success for answer in answers] == [True, True]
    assert len({answer.transaction for answer in answers}) == 2
    sequences = sorted(attempt.sequence for attempt in attempts())
    assert sequences[1] == sequences[0] + 1
    assert world.units_of(world.seller) == 2 * PRICE


def test_two_settles_at_once_of_one_payment_move_it_once(world: World) -> None:
    terms = world.terms()
    payment = world.payment(terms)

    async def both() -> list[SettlementResponse]:
        return await asyncio.gather(*(settle(payment, terms, ANONYMOUS) for _ in range(2)))

    answers = run(both())

    assert sorted(answer.success for answer in answers) == [False, True] or all(a.success for a in answers)
    assert len({answer.transaction for answer in answers}) == 1
    assert {answer.error_reason for answer in answers} <= {None, "settlement_pending"}
    assert len(rows()) == len(attempts()) == 1
    assert world.units_of(world.seller) == PRICE


def test_a_caller_who_leaves_does_not_stop_a_settlement(world: World) -> None:
    terms = world.terms()
    payment = world.payment(terms)

    async def left() -> None:
        task = asyncio.create_task(settle(payment, terms, ANONYMOUS))
        await until(SettlementAttempt.objects.exists)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await until(SettlementAttempt.objects.filter(state="success").exists)

    run(asyncio.wait_for(left(), 20))

    assert rows()[0].state == "settled"
    assert world.units_of(world.seller) == PRICE


def test_an_asset_that_is_not_listed_is_refused(world: World) -> None:
    terms = world.terms()
    payment = world.payment(terms)
    Asset.objects.filter(pk=world.asset.pk).update(enabled=False)

    answer = settled(payment, terms)

    assert answer.error_reason == "invalid_payment_requirements"
    assert answer.extra == {"code": "UNSUPPORTED_ASSET", "details": {}}
    assert rows() == []


def test_an_account_that_can_pay_no_fee_is_set_aside(world: World, settings: object) -> None:
    terms = world.terms()
    payment = world.payment(terms)
    settings.LENS = settings.LENS.model_copy(update={"facilitator_least_balance": 10**15})  # type: ignore[attr-defined]

    answer = settled(payment, terms)

    assert answer.error_reason == "settle_exact_stellar_signer_selection_failed"
    source = SourceAccount.objects.get()
    assert (source.state, source.holder) == ("low", "")
    assert (rows()[0].state, attempts()) == ("failed", [])
    assert world.units_of(world.seller) == 0
