"""A process that is killed leaves rows, and the worker goes on from them."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from lensproject.core import clock
from lensproject.core.stellar.faults import NodeAway
from payments import jobs
from payments.facilitator.claims import LEASE
from payments.facilitator.resuming import left_behind, resume_settlements, revive_accounts, take_over
from payments.models import FacilitatorSettlement, SourceAccount
from tests.databases import Database
from tests.payments.facilitator.world import World, attempts, rows, run, settled
from tests.servers import processes, web

PRICE = 500_000

KILLED = """
import asyncio, json, os, sys
import django
django.setup()
from lensproject.core.callers import ANONYMOUS
from lensproject.core.stellar.rpc import Node
from lensproject.core.x402.wire import PaymentPayload, PaymentRequirements
from payments.facilitator.settling import settle

real = Node.send

async def send(node, envelope):
    if sys.argv[2] == "after":
        await real(node, envelope)
    os._exit(9)

Node.send = send
payload, requirements = json.loads(sys.argv[1])
asyncio.run(settle(PaymentPayload.read(payload), PaymentRequirements.read(requirements), ANONYMOUS))
"""


def kill_while_sending(world: World, database: Database, folder: Path, moment: str) -> None:
    """Settle in a process of its own that dies `before` or `after` the bytes leave, with its row stored."""
    terms = world.terms()
    documents = json.dumps([world.payment(terms).write(), terms.write()])
    key = world.source_key.raw_secret_key().hex()
    more = {"LENS_FACILITATOR_OPEN": "true", "LENS_FACILITATOR_KEY": key}
    log = folder / "killed.log"
    process = processes.start(
        [sys.executable, "-c", KILLED, documents, moment],
        log=log,
        environment=web.settings(database.url, folder, more),
    )
    try:
        assert process.wait(40) == 9, processes.tail(log)
    except subprocess.TimeoutExpired:
        pytest.fail(processes.tail(log))
    finally:
        processes.end(process)
    assert [attempt.state for attempt in attempts()] == ["open"]
    assert rows()[0].state == "working"


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_process_killed_between_store_and_send_is_gone_on_from(
    world: World, cloned_database: Database, tmp_path: Path, moment: str
) -> None:
    kill_while_sending(world, cloned_database, tmp_path, moment)
    stored = attempts()[0].inner_hash
    assert run(resume_settlements()) == 0  # Its time is not over yet.

    with clock.frozen(clock.now() + LEASE):
        assert run(resume_settlements()) == 1

    assert rows()[0].transaction == stored
    assert rows()[0].state == "settled"
    assert [attempt.state for attempt in attempts()] == ["success"]
    assert world.units_of(world.seller) == PRICE
    assert run(resume_settlements()) == 0


def test_what_was_claimed_and_never_stored_may_be_tried_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    terms = world.terms()
    payment = world.payment(terms)

    def dies(*args: object, **kwargs: object) -> None:
        raise RuntimeError("the process is gone")

    with monkeypatch.context() as patch:
        patch.setattr("payments.facilitator.running.draft", dies)
        assert settled(payment, terms).error_reason == "unexpected_settle_error"
    assert rows()[0].state == "working"

    with clock.frozen(clock.now() + LEASE):
        assert run(resume_settlements()) == 1
    assert (rows()[0].state, rows()[0].reason) == ("failed", "unexpected_settle_error")
    with clock.frozen(clock.now() + timedelta(seconds=31)):  # The account's lease has ended too.
        assert settled(payment, terms).success is True
    assert world.units_of(world.seller) == PRICE


def test_an_answer_of_pending_is_followed_by_the_worker(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    terms = world.terms()
    payment = world.payment(terms)
    monkeypatch.setattr("payments.facilitator.settling.SECONDS", 0.5)
    world.ledger.control("ledger_seconds", seconds=0)
    pending = settled(payment, terms)
    assert pending.error_reason == "settlement_pending"
    world.ledger.control("ledger_seconds", seconds=0.2)

    assert run(jobs.resume_settlements()) == 1

    assert settled(payment, terms).write() == {
        "success": True,
        "payer": world.payer.public_key,
        "transaction": pending.transaction,
        "network": "stellar:local",
        "amount": "500000",
    }


def test_a_transaction_that_the_network_forgot_is_sent_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    terms = world.terms()
    payment = world.payment(terms)
    monkeypatch.setattr("payments.facilitator.settling.SECONDS", 0.5)
    world.ledger.control("ledger_seconds", seconds=0)
    settled(payment, terms)
    world.ledger.control("drop_waiting")
    world.ledger.control("ledger_seconds", seconds=0.2)

    assert run(resume_settlements()) == 1
    assert world.units_of(world.seller) == PRICE


def test_what_can_be_in_no_ledger_any_more_has_failed_and_is_no_longer_open(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    terms = world.terms(seconds=60)
    payment = world.payment(terms)
    monkeypatch.setattr("payments.facilitator.settling.SECONDS", 0.5)
    world.ledger.control("ledger_seconds", seconds=0)
    settled(payment, terms)
    world.ledger.control("drop_waiting")
    world.ledger.control("step", ledgers=20)
    world.ledger.control("ledger_seconds", seconds=0.2)

    assert run(resume_settlements()) == 1

    assert (rows()[0].state, rows()[0].reason) == ("failed", "settle_exact_stellar_transaction_submission_failed")
    assert attempts()[0].state == "impossible"
    assert world.units_of(world.seller) == 0


def test_a_node_that_is_away_ends_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    terms = world.terms()
    payment = world.payment(terms)
    monkeypatch.setattr("payments.facilitator.settling.SECONDS", 0.5)
    monkeypatch.setattr("payments.facilitator.resuming.SECONDS", 0.5)
    world.ledger.control("ledger_seconds", seconds=0)
    settled(payment, terms)

    async def away(*_: object) -> None:
        raise NodeAway("gone")

    with monkeypatch.context() as patch:
        patch.setattr("lensproject.core.stellar.rpc.Node.transaction", away)
        patch.setattr("lensproject.core.stellar.rpc.Node.send", away)
        assert run(resume_settlements()) == 0
    world.ledger.control("ledger_seconds", seconds=0.2)

    assert (rows()[0].state, attempts()[0].state, attempts()[0].unanswered) == ("working", "open", True)
    assert run(resume_settlements()) == 1
    assert rows()[0].state == "settled"


def test_two_workers_take_one_settlement_over_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    terms = world.terms()
    payment = world.payment(terms)
    monkeypatch.setattr("payments.facilitator.settling.SECONDS", 0.5)
    world.ledger.control("ledger_seconds", seconds=0)
    settled(payment, terms)
    world.ledger.control("ledger_seconds", seconds=0.2)
    (left,) = left_behind()

    assert take_over(left) is not None
    assert take_over(left) is None


def test_an_account_that_was_funded_is_used_again(world: World) -> None:
    SourceAccount.objects.update(state="low")
    assert run(jobs.revive_source_accounts()) == 1
    assert SourceAccount.objects.get().state == "active"


def test_an_account_that_is_still_low_stays_aside(world: World, settings: object) -> None:
    SourceAccount.objects.update(state="low")
    settings.LENS = settings.LENS.model_copy(update={"facilitator_least_balance": 10**15})  # type: ignore[attr-defined]

    assert run(revive_accounts()) == 0
    assert SourceAccount.objects.get().state == "low"
    assert not FacilitatorSettlement.objects.exists()
