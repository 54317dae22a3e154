"""The documents of x402 version 2 (reference: sections 1.2 to 1.5), typed, frozen, without coercion.

Unknown fields are kept, so that who passes a document on loses nothing. Absent optional fields are left out when a
document is written, never sent as null: some readers refuse null.
"""

from __future__ import annotations

import re
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from lensproject.core.amounts import MAX_UNITS
from lensproject.core.x402.codec import Unreadable

VERSION = 2
_UNITS = re.compile(r"0|[1-9][0-9]{0,18}")


class Document(BaseModel):
    """Base of the wire documents."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        strict=True,
        frozen=True,
        extra="allow",
        hide_input_in_errors=True,
    )

    @classmethod
    def read(cls, document: Any) -> Self:
        """The typed document. Raises Unreadable that names the fields which are missing or of another type."""
        try:
            return cls.model_validate(document, by_alias=True, by_name=False)
        except ValidationError as error:
            fields = sorted({".".join(map(str, detail["loc"])) or "the whole" for detail in error.errors()})
            raise Unreadable(f"does not fit its type in {', '.join(fields)}") from None

    def write(self) -> dict[str, Any]:
        """The document as JSON: camelCase, without what is absent."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


class ResourceInfo(Document):
    """What is paid for."""

    url: str
    description: str | None = None
    mime_type: str | None = None
    service_name: str | None = None
    tags: list[str] | None = None
    icon_url: str | None = None


class PaymentRequirements(Document):
    """One way to pay: an entry of `accepts`. `amount` is an integer count of the asset's smallest unit, as text."""

    scheme: str
    network: str
    amount: str
    asset: str
    pay_to: str
    max_timeout_seconds: int
    extra: dict[str, Any] | None = None


class PaymentRequired(Document):
    """What a 402 carries: the resource and the ways to pay for it."""

    x402_version: int = Field(alias="x402Version")
    error: str | None = None
    resource: ResourceInfo
    accepts: list[PaymentRequirements] = Field(min_length=1)
    extensions: dict[str, Any] | None = None


class PaymentPayload(Document):
    """What a client sends: the terms that it accepted, and the scheme's payload."""

    x402_version: int = Field(alias="x402Version")
    resource: ResourceInfo | None = None
    accepted: PaymentRequirements
    payload: dict[str, Any]
    extensions: dict[str, Any] | None = None


class VerifyResponse(Document):
    """A facilitator's answer to /verify."""

    is_valid: bool
    invalid_reason: str | None = None
    invalid_message: str | None = None
    payer: str | None = None
    extensions: dict[str, Any] | None = None
    extra: dict[str, Any] | None = None


class SettlementResponse(Document):
    """A facilitator's answer to /settle, and the content of PAYMENT-RESPONSE. `transaction` is "" when nothing was
    sent.
    """

    success: bool
    error_reason: str | None = None
    error_message: str | None = None
    payer: str | None = None
    transaction: str
    network: str
    amount: str | None = None
    extensions: dict[str, Any] | None = None
    extra: dict[str, Any] | None = None


def units(amount: str) -> int:
    """The units of a wire amount: `0` or digits without a leading zero, at most 2^63 − 1. Raises Unreadable."""
    if not _UNITS.fullmatch(amount) or int(amount) > MAX_UNITS:
        raise Unreadable("is no amount of 0 to 2^63 - 1 units in plain digits")
    return int(amount)
