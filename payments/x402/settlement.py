"""Settling, as far as it needs no row: our transaction around the client's operation, and what a node's answers mean
(design/money/facilitator, Settling).

The order for a flow that keeps the rows: `account_states` for the sequence of the leased account → `draft` → `seal` →
store `Signed` → `Node.send` → `after_sending` → `Node.transaction` → `after_asking`. The hash is known before the first
send. Every NodeFault of `Node.send` goes to `after_sending` too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum

from stellar_sdk import xdr

from lensproject.core.stellar.answers import Fees, Found, Sent
from lensproject.core.stellar.faults import NodeFault, NodeGarbage
from payments.x402.building import sealed, to_settle, transaction_hash
from payments.x402.verification import Verified

Sign = Callable[[bytes], bytes]
"""From a transaction's hash (32 bytes) to the source account's ed25519 signature (64 bytes)."""


@dataclass(frozen=True)
class Draft:
    """A transaction that nobody has signed yet. `hash` is lower-case hex. It can be included below `before_ledger`.

    `fee` (stroops) is the most that it can cost: the bid for inclusion and the resources.
    """

    transaction: bytes = field(repr=False)
    hash: str
    source: str
    sequence: int
    fee: int
    before_ledger: int


@dataclass(frozen=True)
class Signed:
    """What is stored before it is sent."""

    envelope: str = field(repr=False)
    draft: Draft


class Next(Enum):
    """What a settlement does next."""

    POLL = "ask for the hash"
    RESEND = "send the same bytes again, later"
    REFUSED = "final: this transaction was not taken, and the account is free"
    SUCCESS = "final: it moved the amount"
    FAILED = "final: it is in a ledger, moved nothing, and cost its fee"
    IMPOSSIBLE = "final: this transaction is in no ledger and never will be"


@dataclass(frozen=True)
class Step:
    """What to do next, and what the node told: the result's name (`txBAD_SEQ`), the ledger, the fee charged."""

    next: Next
    result: str | None = None
    ledger: int | None = None
    fee_charged: int | None = None

    @property
    def wants_new_sequence(self) -> bool:
        return self.next is Next.REFUSED and self.result == "txBAD_SEQ"

    @property
    def wants_higher_fee(self) -> bool:
        return self.next is Next.REFUSED and self.result == "txINSUFFICIENT_FEE"


def draft(verified: Verified, *, source: str, sequence: int, inclusion_fee: int, seconds: int, now: datetime) -> Draft:
    """Our transaction: the client's operation and nothing else of theirs.

    `sequence` is the one to use (one more than the account's last). It is valid for `seconds` (maxTimeoutSeconds), and
    up to the ledger in which the authorisation ends.
    """
    before_ledger = min(verified.checked.expiration + 1, 2**32 - 1)
    fee = inclusion_fee + verified.resource_fee
    transaction = to_settle(
        verified.checked.operation,
        verified.resources,
        source=source,
        sequence=sequence,
        fee=fee,
        until=int(now.timestamp()) + seconds,
        before_ledger=before_ledger,
    )
    digest = transaction_hash(transaction, verified.checked.network)
    return Draft(transaction, digest.hex(), source, sequence, fee, before_ledger)


def seal(unsigned: Draft, sign: Sign) -> Signed:
    """The signed envelope, whose hash is the draft's."""
    signature = sign(bytes.fromhex(unsigned.hash))
    return Signed(sealed(unsigned.transaction, unsigned.source, signature), unsigned)


def inclusion_fee(fees: Fees, *, floor: int, ceiling: int) -> int:
    """What to bid for inclusion, in stroops: twice what nearly all recent transactions paid, within the bounds."""
    return max(floor, min(ceiling, 2 * fees.soroban.get("p99", 0)))


def after_sending(answer: Sent | NodeFault, *, earlier_unanswered: bool) -> Step:
    """What follows from the answer to a send. `earlier_unanswered`: an earlier send of these bytes had no answer.

    A fault that may have arrived is such an unanswered send: the caller stores that with the attempt.
    """
    if isinstance(answer, NodeFault):
        return Step(Next.POLL if answer.may_have_arrived or earlier_unanswered else Next.RESEND)
    if answer.status in ("PENDING", "DUPLICATE"):
        return Step(Next.POLL)
    if answer.status == "TRY_AGAIN_LATER":
        return Step(Next.RESEND)
    if answer.status != "ERROR":
        return Step(Next.POLL)
    result = None if answer.error_result is None else read_result(answer.error_result)[0]
    return Step(Next.POLL if earlier_unanswered else Next.REFUSED, result)


def after_asking(found: Found, *, unsigned: Draft, shown_earlier: int, first_sent_at: int) -> Step:
    """What follows from the answer about our hash. Raises NodeGarbage.

    `shown_earlier` is the latest ledger that this very node had shown in an answer before this one; `first_sent_at` the
    latest ledger when the transaction was first sent. What the node cannot have overlooked is impossible.
    """
    if found.status in ("SUCCESS", "FAILED"):
        result, fee = read_result(found.result or "")
        return Step(Next.SUCCESS if found.status == "SUCCESS" else Next.FAILED, result, found.ledger, fee)
    if shown_earlier >= unsigned.before_ledger and found.oldest_ledger <= first_sent_at:
        return Step(Next.IMPOSSIBLE)
    return Step(Next.POLL)


def read_result(result: str) -> tuple[str, int]:
    """Name and fee charged (stroops) of a TransactionResult (base64 XDR); of a fee bump that failed, its inner name."""
    try:
        read = xdr.TransactionResult.from_xdr(result)
        inner = read.result.inner_result_pair
        code = read.result.code if inner is None else inner.result.result.code
        return code.name, read.fee_charged.int64
    except Exception:  # The SDK's reader raises errors of many kinds on bytes that are no XDR.
        raise NodeGarbage("the transaction's result cannot be read") from None
