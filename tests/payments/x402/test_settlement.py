"""Our transaction around the client's operation, and what each answer of a node means."""

from __future__ import annotations

import asyncio
import dataclasses
from datetime import UTC, datetime
from typing import Any

import pytest
from stellar_sdk import TransactionEnvelope, xdr

from lensproject.core.stellar.answers import Fees, Found, Sent
from lensproject.core.stellar.faults import NodeAnswer, NodeAway, NodeFault, NodeGarbage
from lensproject.core.stellar.rpc import Node
from payments.x402 import ledger_keys, settlement
from payments.x402 import terms as scheme
from payments.x402.accounts import account_states
from payments.x402.settlement import Draft, Next, Step
from payments.x402.terms import Checked
from payments.x402.verification import Verified
from tests.core.stellar.scripted import scripted
from tests.payments.x402 import golden, made

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def golden_verified() -> Verified:
    read = xdr.TransactionEnvelope.from_xdr(golden.V1)
    assert read.v1 is not None
    assert read.v1.tx.ext.soroban_data is not None
    checked = scheme.check(made.paying(), made.terms(), networks=["stellar:testnet"], own=frozenset())
    return Verified(checked, read.v1.tx.ext.soroban_data.to_xdr_bytes(), 20_000, golden.LATEST, golden.LATEST, None)


def drafted(**over: Any) -> Draft:
    how: dict[str, Any] = {
        "source": golden.FACILITATOR,
        "sequence": 8,
        "inclusion_fee": 250,
        "seconds": 60,
        "now": NOW,
    }
    return settlement.draft(golden_verified(), **(how | over))


def test_the_transaction_copies_the_operation_and_nothing_else() -> None:
    unsigned = drafted()
    signed = settlement.seal(unsigned, made.FACILITATOR.sign)
    envelope = TransactionEnvelope.from_xdr(signed.envelope, made.PASSPHRASE)
    read, client = envelope.transaction, TransactionEnvelope.from_xdr(golden.V1, made.PASSPHRASE).transaction
    assert read.source.account_id == golden.FACILITATOR
    assert (read.sequence, read.fee, unsigned.fee) == (8, 20_250, 20_250)
    assert [each.to_xdr_object() for each in read.operations] == [each.to_xdr_object() for each in client.operations]
    assert read.memo.to_xdr_object().type == xdr.MemoType.MEMO_NONE
    bounds = read.preconditions
    assert bounds is not None
    assert bounds.time_bounds is not None
    assert bounds.ledger_bounds is not None
    assert (bounds.time_bounds.min_time, bounds.time_bounds.max_time) == (0, int(NOW.timestamp()) + 60)
    assert (bounds.ledger_bounds.min_ledger, bounds.ledger_bounds.max_ledger) == (0, golden.EXPIRATION + 1)
    assert (bounds.min_sequence_number, bounds.min_sequence_age, bounds.min_sequence_ledger_gap) == (None, 0, 0)
    assert bounds.extra_signers == []
    assert unsigned.before_ledger == golden.EXPIRATION + 1


def test_the_hash_is_known_before_anybody_signs() -> None:
    unsigned = drafted()
    signed = settlement.seal(unsigned, made.FACILITATOR.sign)
    envelope = TransactionEnvelope.from_xdr(signed.envelope, made.PASSPHRASE)
    assert envelope.hash_hex() == unsigned.hash
    (signature,) = envelope.signatures
    assert signature.signature_hint == made.FACILITATOR.signature_hint()
    made.FACILITATOR.verify(bytes.fromhex(unsigned.hash), signature.signature)
    assert drafted(sequence=9).hash != unsigned.hash


def test_what_shows_what_it_holds() -> None:
    unsigned = drafted()
    assert "transaction=" not in repr(unsigned)
    assert "envelope=" not in repr(settlement.seal(unsigned, made.FACILITATOR.sign))


@pytest.mark.parametrize(
    ("paid", "expected"),
    [({"p99": 100}, 1000), ({"p99": 700}, 1400), ({"p99": 90_000}, 50_000), ({}, 1000)],
)
def test_what_is_bid_for_inclusion(paid: dict[str, int], expected: int) -> None:
    assert settlement.inclusion_fee(Fees(1, paid), floor=1000, ceiling=50_000) == expected


def result(code: str, fee: int = 100) -> str:
    kinds = xdr.TransactionResultCode
    inner = xdr.TransactionResultResult(kinds[code], results=[] if code in ("txSUCCESS", "txFAILED") else None)
    return xdr.TransactionResult(xdr.Int64(fee), inner, xdr.TransactionResultExt(0)).to_xdr()


AWAY = NodeAway("sendTransaction: no answer in time")
NEVER_LEFT = NodeAway("sendTransaction: cannot be reached", may_have_arrived=False)


def sent(status: str, code: str | None = None) -> Sent:
    return Sent(status, "ab", 1, None if code is None else result(code))


@pytest.mark.parametrize(
    ("answer", "unanswered", "expected"),
    [
        (sent("PENDING"), False, Step(Next.POLL)),
        (sent("DUPLICATE"), False, Step(Next.POLL)),
        (sent("TRY_AGAIN_LATER"), False, Step(Next.RESEND)),
        (sent("TRY_AGAIN_LATER"), True, Step(Next.RESEND)),
        (sent("ERROR", "txBAD_SEQ"), False, Step(Next.REFUSED, "txBAD_SEQ")),
        (sent("ERROR", "txINSUFFICIENT_FEE"), False, Step(Next.REFUSED, "txINSUFFICIENT_FEE")),
        (sent("ERROR"), False, Step(Next.REFUSED)),
        (sent("ERROR", "txBAD_SEQ"), True, Step(Next.POLL, "txBAD_SEQ")),
        (sent("SOMETHING_NEW"), False, Step(Next.POLL)),
        (AWAY, False, Step(Next.POLL)),
        (NodeAnswer("sendTransaction", -32603, "internal"), False, Step(Next.POLL)),
        (NodeGarbage("sendTransaction: HTML"), False, Step(Next.POLL)),
        (NEVER_LEFT, False, Step(Next.RESEND)),
        (NEVER_LEFT, True, Step(Next.POLL)),
    ],
)
def test_answers_to_a_send(answer: Sent | NodeFault, unanswered: bool, expected: Step) -> None:
    step = settlement.after_sending(answer, earlier_unanswered=unanswered)
    assert step == expected
    assert step.wants_new_sequence == (expected == Step(Next.REFUSED, "txBAD_SEQ"))
    assert step.wants_higher_fee == (expected == Step(Next.REFUSED, "txINSUFFICIENT_FEE"))


LAST = golden.EXPIRATION + 1


def not_found(latest: int = LAST + 5, oldest: int = 1) -> Found:
    return Found("NOT_FOUND", latest, oldest, None, None, None, False)


@pytest.mark.parametrize(
    ("found", "shown_earlier", "expected"),
    [
        (
            Found("SUCCESS", 9, 1, 8, result("txSUCCESS", 20_100), "AA", False),
            0,
            Step(Next.SUCCESS, "txSUCCESS", 8, 20_100),
        ),
        (
            Found("FAILED", 9, 1, 8, result("txFAILED", 17_000), "AA", False),
            0,
            Step(Next.FAILED, "txFAILED", 8, 17_000),
        ),
        (not_found(), LAST, Step(Next.IMPOSSIBLE)),
        (not_found(), LAST - 1, Step(Next.POLL)),
        (not_found(oldest=golden.LATEST), LAST, Step(Next.IMPOSSIBLE)),
        (not_found(oldest=golden.LATEST + 1), LAST, Step(Next.POLL)),
    ],
)
def test_answers_about_a_hash(found: Found, shown_earlier: int, expected: Step) -> None:
    step = settlement.after_asking(found, unsigned=drafted(), shown_earlier=shown_earlier, first_sent_at=golden.LATEST)
    assert step == expected


@pytest.mark.parametrize("text", [None, "", "AAAA", "*"])
def test_a_final_answer_without_a_result_is_garbage(text: str | None) -> None:
    with pytest.raises(NodeGarbage):
        settlement.after_asking(
            Found("SUCCESS", 9, 1, 8, text, "AA", False), unsigned=drafted(), shown_earlier=0, first_sent_at=1
        )


def test_an_account_that_cannot_be_read_is_the_nodes_fault() -> None:
    key = ledger_keys.account(golden.PAYER)
    answer = {"latestLedger": 1, "entries": [{"key": key, "xdr": "AAAA", "lastModifiedLedgerSeq": 1}]}

    async def ask() -> None:
        async with scripted({"getLedgerEntries": answer}) as there, Node(there.url) as node:
            await account_states(node, [golden.PAYER])

    with pytest.raises(NodeGarbage, match="account"):
        asyncio.run(ask())


def test_an_authorisation_until_the_last_ledger_of_all() -> None:
    ready = golden_verified()
    checked: Checked = dataclasses.replace(ready.checked, expiration=2**32 - 1)
    unsigned = settlement.draft(
        dataclasses.replace(ready, checked=checked),
        source=golden.FACILITATOR,
        sequence=1,
        inclusion_fee=100,
        seconds=60,
        now=NOW,
    )
    assert unsigned.before_ledger == 2**32 - 1
