"""Our documents and headers beside those of the PyPI package `x402`, which other servers and clients are built on."""

from __future__ import annotations

from typing import Any

import pytest
from x402 import schemas
from x402.http import utils

from lensproject.core.x402.codec import Unreadable, decode_header, encode_header
from lensproject.core.x402.matching import matching
from lensproject.core.x402.wire import (
    Document,
    PaymentPayload,
    PaymentRequired,
    PaymentRequirements,
    SettlementResponse,
    VerifyResponse,
)
from tests.core.x402.documents import payload, required, requirements

BAZAAR = {"bazaar": {"info": {"input": {"type": "http", "method": "GET"}}, "schema": {"type": "object"}}}
RESOURCE = {
    "url": "https://weather.example/weather/Zürich",
    "description": "Weather ☀",
    "mimeType": "application/json",
    "serviceName": "Weather",
    "tags": ["weather", "forecast"],
    "iconUrl": "https://weather.example/icon.png",
}
SETTLED = {"success": True, "transaction": "ab" * 32, "network": "stellar:testnet", "payer": "GABC"}
FAILED = {
    "success": False,
    "errorReason": "settle_exact_stellar_transaction_failed",
    "errorMessage": "it failed",
    "transaction": "",
    "network": "stellar:testnet",
}

DOCUMENTS: list[Any] = [
    pytest.param(PaymentRequirements, schemas.PaymentRequirements, requirements(), id="requirements"),
    pytest.param(PaymentRequired, schemas.PaymentRequired, required(), id="required"),
    pytest.param(
        PaymentRequired,
        schemas.PaymentRequired,
        required(resource=RESOURCE, extensions=BAZAAR, accepts=[requirements(), requirements(amount="20000")]),
        id="required with all",
    ),
    pytest.param(PaymentPayload, schemas.PaymentPayload, payload(), id="payload"),
    pytest.param(
        PaymentPayload, schemas.PaymentPayload, payload(resource=RESOURCE, extensions=BAZAAR), id="payload with all"
    ),
    pytest.param(VerifyResponse, schemas.VerifyResponse, {"isValid": True, "payer": "GABC"}, id="valid"),
    pytest.param(
        VerifyResponse,
        schemas.VerifyResponse,
        {"isValid": False, "invalidReason": "network_mismatch", "invalidMessage": "other", "payer": "GABC"},
        id="invalid",
    ),
    pytest.param(SettlementResponse, schemas.SettleResponse, SETTLED, id="settled"),
    pytest.param(SettlementResponse, schemas.SettleResponse, FAILED, id="failed"),
]


@pytest.mark.parametrize(("ours", "theirs", "document"), DOCUMENTS)
def test_each_reads_what_the_other_writes(ours: type[Document], theirs: Any, document: dict[str, Any]) -> None:
    written = ours.read(document).write()
    there = theirs.model_validate(written).model_dump(mode="json", by_alias=True, exclude_none=True)
    assert there == document
    assert ours.read(there).write() == document


def test_their_headers_are_read() -> None:
    offer = required(resource=RESOURCE, extensions=BAZAAR)
    theirs = utils.encode_payment_required_header(schemas.PaymentRequired.model_validate(offer))
    assert PaymentRequired.read(decode_header(theirs)).write() == offer
    paid = payload(resource=RESOURCE, extensions=BAZAAR)
    theirs = utils.encode_payment_signature_header(schemas.PaymentPayload.model_validate(paid))
    assert PaymentPayload.read(decode_header(theirs)).write() == paid
    theirs = utils.encode_payment_response_header(schemas.SettleResponse.model_validate(SETTLED))
    assert SettlementResponse.read(decode_header(theirs)).write() == SETTLED


def test_our_headers_are_read() -> None:
    def dumped(model: Any) -> dict[str, Any]:
        found = model.model_dump(mode="json", by_alias=True, exclude_none=True)
        assert isinstance(found, dict)
        return found

    offer = required(resource=RESOURCE, extensions=BAZAAR)
    ours = encode_header(PaymentRequired.read(offer).write())
    assert dumped(utils.decode_payment_required_header(ours)) == offer
    paid = payload(resource=RESOURCE, extensions=BAZAAR)
    ours = encode_header(PaymentPayload.read(paid).write())
    assert dumped(utils.decode_payment_signature_header(ours)) == paid
    ours = encode_header(SettlementResponse.read(FAILED).write())
    assert dumped(utils.decode_payment_response_header(ours)) == FAILED


def test_unknown_fields_get_lost_there_and_stay_here() -> None:
    document = requirements(label="x")
    assert PaymentRequirements.read(document).write() == document
    there = schemas.PaymentRequirements.model_validate(document).model_dump(by_alias=True, exclude_none=True)
    assert there == requirements()


def test_what_is_coerced_there_is_refused_here() -> None:
    document = requirements(maxTimeoutSeconds="60")
    assert schemas.PaymentRequirements.model_validate(document).max_timeout_seconds == 60
    with pytest.raises(Unreadable, match="maxTimeoutSeconds"):
        PaymentRequirements.read(document)


def test_junk_in_base64_is_read_there_and_refused_here() -> None:
    header = encode_header(payload())
    broken = header[:40] + "\n" + header[40:]
    utils.decode_payment_signature_header(broken)
    with pytest.raises(Unreadable, match="base64"):
        decode_header(broken)


def test_what_they_accepted_matches_our_offer() -> None:
    offer = PaymentRequirements.read(requirements())
    there = schemas.PaymentRequirements.model_validate(offer.write())
    accepted = PaymentRequirements.read(there.model_dump(mode="json", by_alias=True, exclude_none=True))
    assert matching([offer], accepted) is offer
