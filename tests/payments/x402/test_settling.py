"""Our transactions on the local ledger, by the numbers of the reference's section 11.2."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest
from stellar_sdk import Keypair

from lensproject.core.stellar.rpc import Node
from payments.x402 import settlement
from payments.x402.accounts import AccountState, account_states
from payments.x402.settlement import Next, Signed, Step
from tests.payments.sandbox.running import RunningSandbox
from tests.payments.x402.on_ledger import by_client, terms, token, verified


@pytest.fixture
def payer(ledger: RunningSandbox) -> Keypair:
    return ledger.funded(Keypair.random(), "1")


@pytest.fixture
def seller(ledger: RunningSandbox) -> Keypair:
    return ledger.funded(Keypair.random(), "0")


@pytest.fixture
def channel(ledger: RunningSandbox) -> Keypair:
    ledger.friendbot((channel := Keypair.random()).public_key)
    return channel


def states(url: str, *addresses: str) -> dict[str, AccountState]:
    async def ask() -> dict[str, AccountState]:
        async with Node(url) as node:
            return await account_states(node, addresses)

    return asyncio.run(ask())


def ready_to_send(ledger: RunningSandbox, payer: Keypair, seller: Keypair, channel: Keypair) -> Signed:
    offer = terms(ledger, seller.public_key)
    ready = verified(ledger.url, by_client(ledger, offer, payer), offer, token=token(ledger)).verified
    assert ready is not None
    state = states(ledger.url, channel.public_key)[channel.public_key]
    unsigned = settlement.draft(
        ready,
        source=channel.public_key,
        sequence=state.sequence + 1,
        inclusion_fee=100,
        seconds=60,
        now=datetime.now(UTC),
    )
    return settlement.seal(unsigned, channel.sign)


def send(ledger: RunningSandbox, signed: Signed) -> Step:
    async def ask() -> Step:
        async with Node(ledger.url) as node:
            return settlement.after_sending(await node.send(signed.envelope), earlier_unanswered=False)

    return asyncio.run(ask())


def ask_for(ledger: RunningSandbox, signed: Signed, shown_earlier: int = 0, first_sent_at: int = 2**31) -> Step:
    async def ask() -> Step:
        async with Node(ledger.url) as node:
            found = await node.transaction(signed.draft.hash)
            return settlement.after_asking(
                found, unsigned=signed.draft, shown_earlier=shown_earlier, first_sent_at=first_sent_at
            )

    return asyncio.run(ask())


def test_s1_a_payment_is_settled(ledger: RunningSandbox, payer: Keypair, seller: Keypair, channel: Keypair) -> None:
    signed = ready_to_send(ledger, payer, seller, channel)
    lumens = ledger.native_balance(channel.public_key)
    assert send(ledger, signed) == Step(Next.POLL)
    assert ask_for(ledger, signed) == Step(Next.POLL)
    closed = ledger.step()
    step = ask_for(ledger, signed)
    assert (step.next, step.result, step.ledger) == (Next.SUCCESS, "txSUCCESS", closed)
    assert step.fee_charged is not None
    assert 0 < step.fee_charged <= signed.draft.fee
    assert ledger.native_balance(channel.public_key) == lumens - step.fee_charged
    assert (ledger.balance(payer.public_key), ledger.balance(seller.public_key)) == (9_990_000, 10_000)
    # The same bytes once more: the account's sequence has moved.
    assert send(ledger, signed).next in (Next.POLL, Next.REFUSED)
    ledger.step()
    assert ledger.balance(seller.public_key) == 10_000


def test_s7_a_transaction_that_fails_costs_its_fee(
    ledger: RunningSandbox, payer: Keypair, seller: Keypair, channel: Keypair
) -> None:
    signed = ready_to_send(ledger, payer, seller, channel)
    ledger.control("fail_transfers", ledgers=1)
    assert send(ledger, signed) == Step(Next.POLL)
    ledger.step()
    step = ask_for(ledger, signed)
    assert (step.next, step.result) == (Next.FAILED, "txFAILED")
    assert (step.fee_charged or 0) > 0
    assert ledger.balance(seller.public_key) == 0


def test_s5_a_busy_ledger_wants_the_same_bytes_later(
    ledger: RunningSandbox, payer: Keypair, seller: Keypair, channel: Keypair
) -> None:
    signed = ready_to_send(ledger, payer, seller, channel)
    ledger.control("busy", count=1)
    assert send(ledger, signed) == Step(Next.RESEND)
    assert send(ledger, signed) == Step(Next.POLL)
    ledger.step()
    assert ask_for(ledger, signed).next is Next.SUCCESS


def test_s4_a_wrong_sequence_wants_a_new_attempt(
    ledger: RunningSandbox, payer: Keypair, seller: Keypair, channel: Keypair
) -> None:
    signed = ready_to_send(ledger, payer, seller, channel)
    ledger.trust(channel)
    step = send(ledger, signed)
    assert step.wants_new_sequence
    assert ledger.balance(seller.public_key) == 0


def test_a_transaction_whose_ledgers_are_past_is_impossible(
    ledger: RunningSandbox, payer: Keypair, seller: Keypair, channel: Keypair
) -> None:
    signed = ready_to_send(ledger, payer, seller, channel)
    first_sent_at = ledger.step(0)
    past = ledger.step(signed.draft.before_ledger - first_sent_at)
    assert past == signed.draft.before_ledger
    assert ask_for(ledger, signed, past - 1, first_sent_at) == Step(Next.POLL)
    assert ask_for(ledger, signed, past, first_sent_at) == Step(Next.IMPOSSIBLE)
    # And so it is: the ledger takes it no more.
    assert send(ledger, signed).next is Next.REFUSED
    ledger.step()
    assert ledger.balance(seller.public_key) == 0


def test_accounts_are_read_together(ledger: RunningSandbox, channel: Keypair) -> None:
    nobody = Keypair.random().public_key
    found = states(ledger.url, channel.public_key, nobody)
    assert found.keys() == {channel.public_key}
    state = found[channel.public_key]
    assert state.sequence == ledger.account(channel.public_key).sequence
    assert state.spendable == 100_000_000_000 - 10_000_000
    assert state.latest_ledger == ledger.step(0)
