"""What a node refuses outright: another sequence, another fee, and no second transaction while one may be applied."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from lensproject.core.stellar.faults import NodeAway
from lensproject.core.stellar.rpc import Node
from payments.facilitator import fees
from payments.x402.accounts import AccountState, account_states
from tests.payments.facilitator.world import World, attempts, rows, run, settled

PRICE = 500_000


def test_a_stale_sequence_is_read_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    stale = [True]

    async def read(node: Node, addresses: Any) -> dict[str, AccountState]:
        found = await account_states(node, addresses)
        if stale and stale.pop():
            return {address: replace(state, sequence=state.sequence - 1) for address, state in found.items()}
        return found

    monkeypatch.setattr("payments.facilitator.running.account_states", read)
    terms = world.terms()

    assert settled(world.payment(terms), terms).success is True
    assert [attempt.state for attempt in attempts()] == ["refused", "success"]
    assert attempts()[1].sequence == attempts()[0].sequence + 1
    assert world.units_of(world.seller) == PRICE


def test_s4_what_is_refused_three_times_has_failed_and_may_be_tried_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def always_stale(node: Node, addresses: Any) -> dict[str, AccountState]:
        found = await account_states(node, addresses)
        return {address: replace(state, sequence=state.sequence - 1) for address, state in found.items()}

    terms = world.terms()
    payment = world.payment(terms)
    with monkeypatch.context() as patch:
        patch.setattr("payments.facilitator.running.account_states", always_stale)
        answer = settled(payment, terms)

    assert answer.error_reason == "settle_exact_stellar_transaction_submission_failed"
    assert (answer.transaction, answer.error_message) == ("", "txBAD_SEQ")
    assert rows()[0].state == "failed"
    # Within one second they may be the same transaction, which a node that refused it may be given again.
    assert [attempt.state for attempt in attempts()] == ["refused"] * 3
    assert settled(payment, terms).success is True


def test_too_little_a_fee_is_followed_by_all_that_the_ceiling_leaves(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, asked = fees.bid, []

    async def bid(node: Any, rules: Any, verified: Any, before: Any) -> int:
        asked.append(before)
        return 1 if before is None else await real(node, rules, verified, before)

    monkeypatch.setattr("payments.facilitator.running.fees.bid", bid)
    terms = world.terms()

    assert settled(world.payment(terms), terms).success is True
    first, second = attempts()
    assert (first.state, second.state) == ("refused", "success")
    assert second.fee_ceiling == 500_000
    assert asked[1].wants_higher_fee is True


def test_a_node_that_cannot_tell_what_others_pay_costs_the_least_bid(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: object) -> None:
        raise NodeAway("gone")

    monkeypatch.setattr("lensproject.core.stellar.rpc.Node.fees", away)
    terms = world.terms()
    assert settled(world.payment(terms), terms).success is True


def test_a_node_that_goes_away_before_anything_was_stored_frees_the_account(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: object) -> None:
        raise NodeAway("getLedgerEntries: the node did not answer in time")

    terms = world.terms()
    payment = world.payment(terms)
    with monkeypatch.context() as patch:
        patch.setattr("payments.facilitator.running.account_states", away)
        answer = settled(payment, terms)

    assert answer.error_reason == "unexpected_settle_error"
    world.source.refresh_from_db()
    assert (world.source.holder, world.source.state) == ("", "active")
    assert (rows()[0].state, attempts()) == ("failed", [])
    assert settled(payment, terms).success is True


def test_a_key_that_is_missing_sends_nothing(world: World, settings: Any) -> None:
    settings.LENS = settings.LENS.model_copy(update={"facilitator_key": None, "var": settings.LENS.var / "nowhere"})
    terms = world.terms()
    answer = settled(world.payment(terms), terms)

    assert answer.error_reason == "settle_exact_stellar_signer_selection_failed"
    assert answer.error_message is None
    assert attempts() == []


def test_while_it_is_under_way_others_hear_that_it_is_used(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("payments.facilitator.settling.SECONDS", 0.5)
    terms = world.terms()
    payment = world.payment(terms)
    world.ledger.control("ledger_seconds", seconds=0)
    first = settled(payment, terms)
    same = settled(payment, terms)
    other = settled(payment.model_copy(update={"resource": None}), terms)
    world.ledger.control("ledger_seconds", seconds=0.2)

    assert first.error_reason == same.error_reason == "settlement_pending"
    assert same.transaction == first.transaction
    assert (other.error_reason, other.transaction) == ("invalid_transaction_state", first.transaction)
    assert len(attempts()) == 1


def test_three_failures_close_the_door_for_an_hour(world: World) -> None:
    terms = world.terms()
    payments = [world.payment(terms) for _ in range(4)]
    world.ledger.control("fail_transfers", ledgers=1000)
    for payment in payments[:3]:
        assert settled(payment, terms).error_reason == "settle_exact_stellar_transaction_failed"
    world.ledger.control("clear")

    answer = settled(payments[3], terms)

    assert answer.error_reason == "invalid_transaction_state"
    assert answer.error_message == "too many transactions failed within an hour"
    assert len(attempts()) == 3


def test_nodes_are_kept_for_one_loop_and_closed_with_it(world: World) -> None:
    from payments.facilitator import nodes

    async def twice() -> tuple[Node, Node]:
        return await nodes.node_at(world.ledger.url), await nodes.node_at(world.ledger.url)

    first, second = run(twice())
    assert first is second
    third, _ = run(twice())
    assert third is not first
    assert len(nodes._kept) == 1
