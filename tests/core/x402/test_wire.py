"""The documents: types are exact, unknown fields stay, absent ones are left out."""

from __future__ import annotations

from typing import Any

import pytest

from lensproject.core.x402.codec import Unreadable
from lensproject.core.x402.wire import (
    PaymentPayload,
    PaymentRequired,
    PaymentRequirements,
    SettlementResponse,
    VerifyResponse,
    units,
)
from tests.core.x402.documents import payload, required, requirements


@pytest.mark.parametrize(
    ("model", "document"),
    [
        (PaymentRequirements, requirements()),
        (PaymentRequired, required()),
        (PaymentPayload, payload()),
        (PaymentRequired, required(extensions={"bazaar": {"info": {"input": {}}, "schema": {}}})),
        (VerifyResponse, {"isValid": True, "payer": "G"}),
        (VerifyResponse, {"isValid": False, "invalidReason": "network_mismatch"}),
        (SettlementResponse, {"success": True, "transaction": "ab", "network": "stellar:testnet"}),
    ],
)
def test_documents_are_read_and_written_without_loss(model: Any, document: dict[str, Any]) -> None:
    assert model.read(document).write() == document


def test_unknown_fields_are_kept_at_every_level() -> None:
    document = payload(accepted=requirements(label="x", extra={"areFeesSponsored": True, "note": {"a": [1]}}), later=1)
    assert PaymentPayload.read(document).write() == document


@pytest.mark.parametrize(
    ("over", "field"),
    [
        ({"amount": 10000}, "amount"),
        ({"maxTimeoutSeconds": "60"}, "maxTimeoutSeconds"),
        ({"maxTimeoutSeconds": 60.0}, "maxTimeoutSeconds"),
        ({"maxTimeoutSeconds": True}, "maxTimeoutSeconds"),
        ({"payTo": None}, "payTo"),
        ({"extra": []}, "extra"),
    ],
)
def test_nothing_is_coerced(over: dict[str, Any], field: str) -> None:
    with pytest.raises(Unreadable, match=field):
        PaymentRequirements.read(requirements(**over))


def test_python_names_are_no_wire_names() -> None:
    document = requirements()
    document["pay_to"] = document.pop("payTo")
    with pytest.raises(Unreadable, match="payTo"):
        PaymentRequirements.read(document)


@pytest.mark.parametrize("missing", ["x402Version", "accepted", "payload"])
def test_a_missing_field_is_named(missing: str) -> None:
    document = payload()
    del document[missing]
    with pytest.raises(Unreadable, match=missing):
        PaymentPayload.read(document)


def test_accepts_holds_at_least_one() -> None:
    with pytest.raises(Unreadable, match="accepts"):
        PaymentRequired.read(required(accepts=[]))


@pytest.mark.parametrize("document", [None, [], "x", 1])
def test_what_is_no_object_is_no_document(document: Any) -> None:
    with pytest.raises(Unreadable):
        PaymentPayload.read(document)


@pytest.mark.parametrize(("text", "expected"), [("0", 0), ("10000", 10000), (str(2**63 - 1), 2**63 - 1)])
def test_amounts(text: str, expected: int) -> None:
    assert units(text) == expected


@pytest.mark.parametrize(
    "text",
    ["", " 10000 ", "0x2710", "+10000", "010000", "1e4", "10000.0", "-10000", "１０", str(2**63), "9" * 400, "1\n"],
)
def test_other_amounts_are_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        units(text)
