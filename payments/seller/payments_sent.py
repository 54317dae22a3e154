"""The payment in a request, held against the offer: everything that is decided before a facilitator is asked."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest

from lensproject.core.x402.codec import PAYMENT_SIGNATURE, Unreadable, decode_header
from lensproject.core.x402.matching import matching, wrong_echoes
from lensproject.core.x402.wire import PaymentPayload, PaymentRequirements
from payments.seller.offers import Offer
from payments.x402 import reasons, terms
from payments.x402.reading import read_payload
from payments.x402.reasons import Refused
from payments.x402.terms import Checked

REQUIRED = "Payment required"
NO_MATCH = "No matching payment requirements"
ECHO_MISMATCH = "extension_echo_mismatch"
OF_VERSION_1 = "X-PAYMENT"


@dataclass(frozen=True)
class Sent:
    """A payment of one of the offered ways. `requirements` are our own, never the client's."""

    payload: PaymentPayload
    requirements: PaymentRequirements
    checked: Checked

    @property
    def key(self) -> str:
        """What can be used once, whoever sends it in whatever envelope."""
        return f"{self.checked.network}|{self.checked.payer}|{self.checked.nonce}"


def payment_of(request: HttpRequest, offer: Offer) -> Sent:
    """The payment in PAYMENT-SIGNATURE. Raises Refused with what the 402 says as `error`."""
    header = request.headers.get(PAYMENT_SIGNATURE)
    if header is None:
        raise Refused(reasons.INVALID_VERSION if OF_VERSION_1 in request.headers else REQUIRED)
    try:
        payload = read_payload(decode_header(header))
    except Unreadable as error:
        raise Refused(reasons.INVALID_PAYLOAD, f"{PAYMENT_SIGNATURE} {error}") from None
    requirements = matching(offer.accepts, payload.accepted)
    if requirements is None:
        raise Refused(NO_MATCH)
    if wrong_echoes(offer.extensions, payload.extensions):
        raise Refused(ECHO_MISMATCH)
    checked = terms.check(payload, requirements, networks=[requirements.network], own=frozenset())
    return Sent(payload, requirements, checked)
