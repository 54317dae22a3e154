"""One row for each transaction: stored before it is sent, ended by one conditional UPDATE. Steps on the database.

A step whose row has moved on meanwhile changes nothing and says so.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from lensproject.core import clock
from payments.models import FacilitatorSettlement, SettlementAttempt, SourceAccount
from payments.x402 import reasons
from payments.x402.settlement import Draft, Next, Signed, Step

Settlement = FacilitatorSettlement.State
State = SettlementAttempt.State

ENDED = {
    Next.SUCCESS: State.SUCCESS,
    Next.FAILED: State.FAILED,
    Next.REFUSED: State.REFUSED,
    Next.IMPOSSIBLE: State.IMPOSSIBLE,
}
REASONS = {
    Next.FAILED: reasons.TRANSACTION_FAILED,
    Next.REFUSED: reasons.SUBMISSION_FAILED,
    Next.IMPOSSIBLE: reasons.SUBMISSION_FAILED,
}


@dataclass(frozen=True)
class Stored:
    """An open attempt, as what is sent and asked for. `unsigned` lacks the bytes: the envelope has them."""

    attempt: int
    settlement: int
    envelope: str
    unsigned: Draft
    made_at_ledger: int
    unanswered: bool


def store(settlement: int, holder: str, account: SourceAccount, signed: Signed, *, at_ledger: int) -> Stored | None:
    """Write a transaction down before it is sent. None when the run has lost the settlement
    or the account to another.
    """
    draft = signed.draft
    with transaction.atomic():
        mine = FacilitatorSettlement.objects.select_for_update().filter(
            pk=settlement, state=Settlement.WORKING, holder=holder
        )
        account_is_mine = SourceAccount.objects.filter(pk=account.pk, holder=holder)
        # From here on the open transaction keeps the account.
        if not mine.exists() or not account_is_mine.update(holder="", leased_until=None):
            return None
        row = SettlementAttempt.objects.create(
            settlement_id=settlement,
            source_account=account,
            sequence=draft.sequence,
            envelope=signed.envelope,
            inner_hash=draft.hash,
            made_at_ledger=at_ledger,
            max_ledger=draft.before_ledger,
            fee_ceiling=draft.fee,
            created_at=clock.now(),
        )
    return stored(row)


def open_attempt(settlement: int) -> Stored | None:
    """The transaction of a settlement that is under way."""
    row = SettlementAttempt.objects.select_related("source_account").filter(settlement=settlement, state=State.OPEN)
    found = row.first()
    return None if found is None else stored(found)


def stored(row: SettlementAttempt) -> Stored:
    source = row.source_account.address
    unsigned = Draft(b"", row.hash, source, row.sequence, row.fee_ceiling, row.max_ledger)
    return Stored(row.pk, row.settlement_id, row.envelope, unsigned, row.made_at_ledger, row.unanswered)


def note_unanswered(attempt: int) -> None:
    """A send of these bytes may have arrived although nobody said so: from now on only the hash decides."""
    SettlementAttempt.objects.filter(pk=attempt, state=State.OPEN).update(unanswered=True)


def end(attempt: Stored, step: Step) -> bool:
    """Write down how a transaction ended, which frees its account. False when somebody else did so first.

    Of the settlement it ends what is final: SUCCESS settles it; what else it means is for the flow to say.
    """
    with transaction.atomic():
        rows = SettlementAttempt.objects.filter(pk=attempt.attempt, state=State.OPEN)
        charged = step.fee_charged if step.next in (Next.SUCCESS, Next.FAILED) else None
        if not rows.update(state=ENDED[step.next], envelope="", fee_charged=charged, ended_at=clock.now()):
            return False
        if step.next is Next.SUCCESS:
            _settle(attempt, step)
    return True


def _settle(attempt: Stored, step: Step) -> None:
    FacilitatorSettlement.objects.filter(pk=attempt.settlement, state=Settlement.WORKING).update(
        state=Settlement.SETTLED,
        transaction=attempt.unsigned.hash,
        ledger=step.ledger,
        holder="",
        leased_until=None,
        ended_at=clock.now(),
    )


def fail(settlement: int, holder: str, reason: str, *, used: bool = False) -> bool:
    """End a settlement without a transaction under way. `used`: another transaction used its nonce, for good."""
    mine = FacilitatorSettlement.objects.filter(pk=settlement, state=Settlement.WORKING, holder=holder)
    nothing_open = mine.exclude(attempts__state=State.OPEN)
    state = Settlement.USED if used else Settlement.FAILED
    return bool(
        nothing_open.update(state=state, reason=reason[:100], holder="", leased_until=None, ended_at=clock.now())
    )
