"""A request's documents, with the reasons that other implementations give."""

from __future__ import annotations

from typing import Any

import pytest

from payments.x402 import reasons
from payments.x402.reading import read_payment
from payments.x402.reasons import Refused
from tests.payments.x402 import made

PAYLOAD = made.paying().write()
TERMS = made.terms().write()


def without(document: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name != key}


def test_a_whole_request_is_read() -> None:
    payload, terms = read_payment(PAYLOAD, TERMS)
    assert payload.write() == PAYLOAD
    assert terms.write() == TERMS


@pytest.mark.parametrize(
    ("payload", "terms", "reason", "names"),
    [
        pytest.param(PAYLOAD | {"payload": None}, TERMS, reasons.MALFORMED, "payload", id="V70"),
        pytest.param(PAYLOAD | {"payload": "AAAA"}, TERMS, reasons.MALFORMED, "payload", id="V70 text"),
        pytest.param(without(PAYLOAD, "payload"), TERMS, reasons.INVALID_PAYLOAD, "payload", id="no payload"),
        pytest.param(without(PAYLOAD, "accepted"), TERMS, reasons.INVALID_PAYLOAD, "accepted", id="V71"),
        pytest.param({"x402Version": 1, "scheme": "exact"}, TERMS, reasons.INVALID_VERSION, "", id="V4 of version 1"),
        pytest.param(PAYLOAD | {"x402Version": "2"}, TERMS, reasons.INVALID_PAYLOAD, "x402Version", id="text version"),
        pytest.param([], TERMS, reasons.INVALID_PAYLOAD, "object", id="list"),
        pytest.param(PAYLOAD, None, reasons.INVALID_REQUIREMENTS, "whole", id="null requirements"),
        pytest.param(
            PAYLOAD,
            without(TERMS, "maxTimeoutSeconds"),
            reasons.INVALID_REQUIREMENTS,
            "maxTimeoutSeconds",
            id="no time",
        ),
        pytest.param(
            PAYLOAD,
            TERMS | {"maxTimeoutSeconds": "60"},
            reasons.INVALID_REQUIREMENTS,
            "maxTimeoutSeconds",
            id="text time",
        ),
        pytest.param(PAYLOAD, TERMS | {"amount": 10000}, reasons.INVALID_REQUIREMENTS, "amount", id="number amount"),
    ],
)
def test_documents_that_cannot_be_read_are_refused_by_name(payload: Any, terms: Any, reason: str, names: str) -> None:
    with pytest.raises(Refused) as caught:
        read_payment(payload, terms)
    assert caught.value.reason == reason
    assert names in caught.value.message
