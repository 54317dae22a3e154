"""The table of answers to a send, with a node that answers as it is told. Real ones are asked in test_settling."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic
from typing import Any

import pytest
from asgiref.sync import async_to_sync

from lensproject.core.stellar.answers import Found, Sent
from lensproject.core.stellar.faults import NodeAway, NodeFault, NodeGarbage
from payments.facilitator import sending
from payments.facilitator.attempts import Stored
from payments.facilitator.sending import Following
from payments.models import SettlementAttempt
from payments.x402.settlement import Draft, Next, Step
from tests.builders import make_attempt

pytestmark = pytest.mark.django_db
MADE, BEFORE = 1_000, 1_013
SUCCESS = "AAAAAAAAAGQAAAAAAAAAAAAAAAA="
"""A TransactionResult: 100 stroops charged, txSUCCESS, no operation results."""
BAD_SEQ = "AAAAAAAAAAD////7AAAAAA=="


def sent(status: str, ledger: int = MADE, error: str | None = None) -> Sent:
    return Sent(status, "ab" * 32, ledger, error)


def found(status: str, ledger: int = MADE, oldest: int = 1) -> Found:
    final = status != "NOT_FOUND"
    return Found(status, ledger, oldest, ledger if final else None, SUCCESS if final else None, None, False)


@dataclass
class Scripted:
    """Answers in turn; the last one again and again."""

    sends: list[Sent | NodeFault]
    finds: list[Found | NodeFault] = field(default_factory=lambda: [found("SUCCESS")])
    asked: list[str] = field(default_factory=list)

    async def send(self, envelope: str) -> Sent:
        assert envelope == "AAAA"
        answer: Sent = self._next("send", self.sends)
        return answer

    async def transaction(self, hash: str) -> Found:
        assert hash == "ab" * 32
        answer: Found = self._next("find", self.finds)
        return answer

    def _next(self, what: str, answers: list[Any]) -> Any:
        self.asked.append(what)
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(answer, NodeFault):
            raise answer
        return answer


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "FIRST_PAUSE", 0.001)
    monkeypatch.setattr(sending, "LONGEST_PAUSE", 0.002)


def followed(node: Scripted, *, resumed: bool = False, seconds: float = 5.0) -> Step | None:
    attempt = make_attempt(inner_hash="ab" * 32)
    unsigned = Draft(b"", "ab" * 32, "G", 1, 100, BEFORE)
    stored = Stored(attempt.pk, attempt.settlement_id, "AAAA", unsigned, MADE, attempt.unanswered)
    client: Any = node
    return async_to_sync(Following(client, stored, resumed=resumed).until)(monotonic() + seconds)


def next_of(step: Step | None) -> Next | None:
    return None if step is None else step.next


def is_unanswered() -> bool:
    return SettlementAttempt.objects.get().unanswered


@pytest.mark.parametrize("status", ["PENDING", "DUPLICATE"])
def test_what_was_taken_is_asked_for(status: str) -> None:
    node = Scripted([sent(status)], [found("NOT_FOUND"), NodeAway("gone"), found("SUCCESS", 1_004)])
    step = followed(node)
    assert step == Step(Next.SUCCESS, "txSUCCESS", 1_004, 100)
    assert node.asked == ["send", "find", "find", "find"]
    assert is_unanswered() is False


def test_try_again_later_sends_the_same_bytes_again() -> None:
    node = Scripted([sent("TRY_AGAIN_LATER"), sent("TRY_AGAIN_LATER"), sent("PENDING")])
    assert next_of(followed(node)) is Next.SUCCESS
    assert node.asked == ["send", "send", "send", "find"]


def test_try_again_later_ends_when_no_ledger_takes_it_any_more() -> None:
    late = [sent("TRY_AGAIN_LATER"), sent("TRY_AGAIN_LATER", BEFORE)]
    node = Scripted([*late], [found("NOT_FOUND", BEFORE)])
    assert next_of(followed(node)) is Next.IMPOSSIBLE
    assert node.asked == ["send", "send", "find"]


def test_an_error_when_every_send_was_answered_is_a_refusal() -> None:
    step = followed(Scripted([sent("TRY_AGAIN_LATER"), sent("ERROR", error=BAD_SEQ)]))
    assert step is not None
    assert (step.next, step.result, step.wants_new_sequence) == (Next.REFUSED, "txBAD_SEQ", True)


@pytest.mark.parametrize("fault", [NodeAway("no answer in time"), NodeGarbage("HTML")])
def test_a_send_without_an_answer_is_written_down_and_its_hash_decides(fault: NodeFault) -> None:
    node = Scripted([fault], [found("NOT_FOUND"), found("SUCCESS")])
    assert next_of(followed(node)) is Next.SUCCESS
    assert node.asked == ["send", "find", "find"]
    assert is_unanswered() is True


def test_a_node_that_was_never_reached_is_sent_to_again() -> None:
    node = Scripted([NodeAway("refused", may_have_arrived=False), sent("PENDING")])
    assert next_of(followed(node)) is Next.SUCCESS
    assert node.asked == ["send", "send", "find"]
    assert is_unanswered() is False


def test_resumed_the_hash_is_asked_for_before_anything_is_sent() -> None:
    node = Scripted([sent("PENDING")], [found("SUCCESS")])
    assert next_of(followed(node, resumed=True)) is Next.SUCCESS
    assert node.asked == ["find"]


def test_resumed_an_error_is_no_refusal_since_an_earlier_process_may_have_sent_it() -> None:
    node = Scripted([sent("ERROR", error=BAD_SEQ)], [found("NOT_FOUND"), found("SUCCESS")])
    assert next_of(followed(node, resumed=True)) is Next.SUCCESS
    assert node.asked == ["find", "send", "find"]
    assert is_unanswered() is True


def test_not_found_once_past_the_end_is_not_enough() -> None:
    """Only a node that had shown the last ledger before, in another answer, cannot have overlooked it."""
    node = Scripted([sent("PENDING")], [found("NOT_FOUND", BEFORE), found("SUCCESS", 1_012)])
    assert next_of(followed(node)) is Next.SUCCESS
    again = Scripted([sent("PENDING")], [found("NOT_FOUND", BEFORE)])
    SettlementAttempt.objects.all().delete()
    assert next_of(followed(again)) is Next.IMPOSSIBLE
    assert again.asked == ["send", "find", "find"]


def test_a_node_whose_history_begins_later_proves_nothing() -> None:
    node = Scripted([sent("PENDING")], [found("NOT_FOUND", BEFORE + 5, oldest=MADE + 1)])
    assert followed(node, seconds=0.05) is None


def test_at_the_deadline_nothing_is_known() -> None:
    assert followed(Scripted([sent("PENDING")], [found("NOT_FOUND")]), seconds=0.05) is None
