"""Before a view: is it paid for? After it: settle, then hand over. Blocking steps, for sync and async views alike."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from lensproject.core.x402.wire import SettlementResponse
from payments.seller import answers
from payments.seller.claims import MOST_BYTES, Claim, Claims, Kept, fingerprint_of, kept_of
from payments.seller.facilitators import Facilitator, FacilitatorAway
from payments.seller.offers import Offer
from payments.seller.payments_sent import Sent, payment_of
from payments.x402 import reasons
from payments.x402.reasons import Refused

PENDING_PAUSE_SECONDS = 1.0
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Ready:
    """The view may run. With `receipt` the payment was settled before, and the view runs once more for it."""

    sent: Sent
    receipt: dict[str, Any] | None = None


@dataclass(frozen=True)
class Selling:
    """One request of one offer. `url` is the resource's, as others reach it."""

    request: HttpRequest
    url: str
    offer: Offer
    facilitator: Facilitator
    claims: Claims

    def before(self) -> HttpResponse | Ready:
        """What the view may run for, or what to answer without running it."""
        try:
            sent = payment_of(self.request, self.offer)
        except Refused as refused:
            return self.refuse(refused.reason)
        earlier = self.claims.claim(sent, self.fingerprint)
        if earlier is not None:
            return self._again(sent, earlier)
        try:
            verdict = self.facilitator.verify(sent.payload, sent.requirements)
        except FacilitatorAway as error:
            self.claims.give_back(sent)
            return _away(error)
        except BaseException:
            self.claims.give_back(sent)
            raise
        if not verdict.is_valid:
            self.claims.give_back(sent)
            return self.refuse(verdict.invalid_reason or reasons.UNEXPECTED_VERIFY)
        return Ready(sent)

    def after(self, ready: Ready, response: HttpResponseBase) -> HttpResponseBase:
        """What the buyer gets of the view's answer: nothing of it unless the payment is settled."""
        if response.status_code >= 400:
            self.failed(ready)
            return response
        if not isinstance(response, HttpResponse):
            self.failed(ready)
            raise TypeError("a paid view answers whole, not as a stream: it is handed over after the settlement")
        if ready.receipt is not None:
            return answers.paid(response, ready.receipt)
        return self._settled(ready.sent, kept_of(response))

    def failed(self, ready: Ready) -> None:
        """The view gave nothing: a payment that was not settled before may be used again."""
        if ready.receipt is None:
            self.claims.give_back(ready.sent)

    def refuse(self, error: str, receipt: SettlementResponse | None = None) -> HttpResponse:
        document = self.offer.required(self.url, error)
        return answers.payment_required(self.request, document, receipt.write() if receipt else None)

    @property
    def fingerprint(self) -> str:
        return fingerprint_of(self.request, self.url)

    def _again(self, sent: Sent, earlier: Claim) -> HttpResponse | Ready:
        """The same payment a second time: never a second settlement, and never another resource."""
        if earlier.fingerprint != self.fingerprint:
            return self.refuse(reasons.INVALID_STATE)
        if earlier.receipt is None:
            return answers.busy() if earlier.kept is None else self._settled(sent, earlier.kept)
        if earlier.kept is None:
            is_again = self.offer.repeatable
            return Ready(sent, earlier.receipt) if is_again else self.refuse(reasons.INVALID_STATE)
        return answers.paid(earlier.kept.response(), earlier.receipt)

    def _settled(self, sent: Sent, kept: Kept) -> HttpResponse:
        # From here on the answer waits for its settlement, whoever asks for it.
        self.claims.keep(sent, self.fingerprint, kept, None)
        try:
            settlement = self._settle(sent)
        except FacilitatorAway as error:
            return _away(error)
        if settlement.success:
            receipt = settlement.write()
            stays = kept if len(kept.body) <= MOST_BYTES else None
            self.claims.keep(sent, self.fingerprint, stays, receipt)
            return answers.paid(kept.response(), receipt)
        reason = settlement.error_reason or reasons.UNEXPECTED_SETTLE
        if reason != reasons.PENDING:
            self.claims.give_back(sent)
        return self.refuse(reason, settlement)

    def _settle(self, sent: Sent) -> SettlementResponse:
        """Settle; what is pending is asked for once more, as the facilitator knows the payment by then."""
        settlement = self.facilitator.settle(sent.payload, sent.requirements)
        if not settlement.success and settlement.error_reason == reasons.PENDING:
            time.sleep(PENDING_PAUSE_SECONDS)
            settlement = self.facilitator.settle(sent.payload, sent.requirements)
        return settlement


def _away(error: FacilitatorAway) -> HttpResponse:
    log.warning("the facilitator is away: %s", error)
    return answers.away()
