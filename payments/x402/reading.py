"""A facilitator's request, read from JSON into typed documents, with the reason that other implementations give."""

from __future__ import annotations

from typing import Any

from lensproject.core.x402.codec import Unreadable
from lensproject.core.x402.wire import VERSION, PaymentPayload, PaymentRequirements
from payments.x402 import reasons
from payments.x402.reasons import Refused


def read_payment(payload: Any, requirements: Any) -> tuple[PaymentPayload, PaymentRequirements]:
    """`paymentPayload` and `paymentRequirements` of /verify and /settle. Raises Refused.

    That both are there at all, as objects, is for the door to check (HTTP 400).
    """
    return read_payload(payload), read_requirements(requirements)


def read_payload(document: Any) -> PaymentPayload:
    """The version is asked after first: other versions have other fields."""
    if not isinstance(document, dict):
        raise Refused(reasons.INVALID_PAYLOAD, "paymentPayload is no object")
    version = document.get("x402Version")
    if type(version) is int and version != VERSION:
        raise Refused(reasons.INVALID_VERSION)
    if "payload" in document and not isinstance(document["payload"], dict):
        raise Refused(reasons.MALFORMED, "paymentPayload.payload is no object")
    try:
        return PaymentPayload.read(document)
    except Unreadable as error:
        raise Refused(reasons.INVALID_PAYLOAD, f"paymentPayload {error}") from None


def read_requirements(document: Any) -> PaymentRequirements:
    try:
        return PaymentRequirements.read(document)
    except Unreadable as error:
        raise Refused(reasons.INVALID_REQUIREMENTS, f"paymentRequirements {error}") from None
