"""Why a payment is refused: the names that other x402 implementations know (reference: sections 1.9, 4.5 and 4.7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from lensproject.core.errors import ErrorCode

_PAYLOAD: Final = "invalid_exact_stellar_payload_"
_SETTLE: Final = "settle_exact_stellar_"

INVALID_VERSION: Final = "invalid_x402_version"
INVALID_PAYLOAD: Final = "invalid_payload"
INVALID_REQUIREMENTS: Final = "invalid_payment_requirements"
UNSUPPORTED_SCHEME: Final = "unsupported_scheme"
NETWORK_MISMATCH: Final = "network_mismatch"
INVALID_NETWORK: Final = "invalid_network"
INVALID_STATE: Final = "invalid_transaction_state"
UNEXPECTED_VERIFY: Final = "unexpected_verify_error"
INSUFFICIENT_FUNDS: Final = "insufficient_funds"
UNEXPECTED_SETTLE: Final = "unexpected_settle_error"
PENDING: Final = "settlement_pending"

MALFORMED: Final = f"{_PAYLOAD}malformed"
WRONG_OPERATION: Final = f"{_PAYLOAD}wrong_operation"
UNSAFE_SOURCE: Final = f"{_PAYLOAD}unsafe_tx_or_op_source"
WRONG_ASSET: Final = f"{_PAYLOAD}wrong_asset"
WRONG_FUNCTION: Final = f"{_PAYLOAD}wrong_function_name"
FACILITATOR_IS_PAYER: Final = f"{_PAYLOAD}facilitator_is_payer"
WRONG_RECIPIENT: Final = f"{_PAYLOAD}wrong_recipient"
WRONG_AMOUNT: Final = f"{_PAYLOAD}wrong_amount"
SIMULATION_FAILED: Final = f"{_PAYLOAD}simulation_failed"
FEE_EXCEEDS_MAXIMUM: Final = f"{_PAYLOAD}fee_exceeds_maximum"
NO_AUTH_ENTRIES: Final = f"{_PAYLOAD}no_auth_entries"
UNSUPPORTED_CREDENTIAL: Final = f"{_PAYLOAD}unsupported_credential_type"
FACILITATOR_IN_AUTH: Final = f"{_PAYLOAD}facilitator_in_auth"
EXPIRATION_TOO_FAR: Final = "invalid_exact_stellar_signature_expiration_too_far"
HAS_SUBINVOCATIONS: Final = f"{_PAYLOAD}has_subinvocations"
MISSING_PAYER_SIGNATURE: Final = f"{_PAYLOAD}missing_payer_signature"
UNEXPECTED_PENDING: Final = f"{_PAYLOAD}unexpected_pending_signatures"

NO_TRANSFER_EVENTS: Final = f"{_PAYLOAD}no_transfer_events"
MULTIPLE_TRANSFERS: Final = f"{_PAYLOAD}multiple_transfers"
EVENT_NOT_TRANSFER: Final = f"{_PAYLOAD}event_not_transfer"
EVENT_MISSING_CONTRACT: Final = f"{_PAYLOAD}event_missing_contract_id"
EVENT_WRONG_ASSET: Final = f"{_PAYLOAD}event_wrong_asset"
EVENT_WRONG_FROM: Final = f"{_PAYLOAD}event_wrong_from"
EVENT_WRONG_TO: Final = f"{_PAYLOAD}event_wrong_to"
EVENT_WRONG_AMOUNT: Final = f"{_PAYLOAD}event_wrong_amount"

SUBMISSION_FAILED: Final = f"{_SETTLE}transaction_submission_failed"
TRANSACTION_FAILED: Final = f"{_SETTLE}transaction_failed"
SIGNER_SELECTION_FAILED: Final = f"{_SETTLE}signer_selection_failed"


class Refused(Exception):
    """A payment that is not accepted: `reason` for x402 programs, `message` for people, `payer` once it is known.

    `fault` is our own code of what is wrong, where the reason says less, with `details` (design: money, errors).
    """

    def __init__(
        self,
        reason: str,
        message: str = "",
        *,
        payer: str | None = None,
        fault: ErrorCode | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.message = message
        self.payer = payer
        self.fault = fault
        self.details = dict(details or {})

    def extra(self) -> dict[str, Any] | None:
        """What goes along in an answer's `extra`: `{"code": "TRUSTLINE_REQUIRED", "details": {"who": "payTo"}}`."""
        if self.fault is None:
            return {"details": self.details} if self.details else None
        return {"code": self.fault.name, "details": self.details}
