"""Codes of everything that keeps a payment from being made, settled or delivered.

The names that agents already know from the MCP reference of LumenBazaar keep their spelling for ever. `retryable` of a
pending payment or approval means: ask again with the same idempotency key.
"""

from __future__ import annotations

from lensproject.core.errors import declare

POLICY_DENIED = declare("POLICY_DENIED", status=403, meaning="A rule of the policy says no; details name the rule.")
BUDGET_EXCEEDED = declare(
    "BUDGET_EXCEEDED",
    status=402,
    meaning="A limit leaves no room for this amount; details name the limit and when it resets (`resetsAt`).",
)
APPROVAL_REQUIRED = declare(
    "APPROVAL_REQUIRED",
    status=202,
    retryable=True,
    meaning="A person must approve this payment; ask again with the same idempotency key.",
)
APPROVAL_DENIED = declare(
    "APPROVAL_DENIED", status=403, meaning="The approval was denied, or nobody decided within its time."
)
AGENT_PAUSED = declare("AGENT_PAUSED", status=403, meaning="The agent is paused or closed and spends nothing.")
PAYMENT_REQUIRED = declare(
    "PAYMENT_REQUIRED",
    status=402,
    retryable=True,
    meaning="The call must be paid; ask again with a payment for one of the terms in the answer.",
)
INVALID_PAYMENT_PAYLOAD = declare(
    "INVALID_PAYMENT_PAYLOAD",
    status=400,
    meaning="The payment payload cannot be read, is another call, or expires too late.",
)
INVALID_SIGNATURE = declare(
    "INVALID_SIGNATURE", status=400, meaning="The payer's signature is missing from the payload or false."
)
AUTH_EXPIRED = declare(
    "AUTH_EXPIRED", status=400, meaning="The last ledger of the authorisation is past; sign a new one."
)
REPLAY_DETECTED = declare(
    "REPLAY_DETECTED", status=409, meaning="The authorisation was used already, or belongs to another request."
)
AMOUNT_MISMATCH = declare(
    "AMOUNT_MISMATCH", status=402, meaning="The price is above the maximum of the call or above the listing."
)
ASSET_MISMATCH = declare("ASSET_MISMATCH", status=402, meaning="The asset is another one than was agreed.")
RECIPIENT_MISMATCH = declare("RECIPIENT_MISMATCH", status=402, meaning="The payTo is another one than was agreed.")
TRUSTLINE_REQUIRED = declare(
    "TRUSTLINE_REQUIRED", status=424, meaning="Payer or recipient has no trustline for the asset."
)
INSUFFICIENT_BALANCE = declare(
    "INSUFFICIENT_BALANCE", status=424, meaning="The payer's account holds less than the amount."
)
SETTLEMENT_PENDING = declare(
    "SETTLEMENT_PENDING",
    status=202,
    retryable=True,
    meaning="The payment left and is not proved yet; ask again with the same idempotency key.",
)
SETTLEMENT_FAILED = declare(
    "SETTLEMENT_FAILED", status=502, retryable=True, meaning="It is proved that no money moved; try again."
)
UPSTREAM_ERROR = declare(
    "UPSTREAM_ERROR", status=502, meaning="The seller was paid and did not deliver; the receipt is in the details."
)
IDEMPOTENCY_CONFLICT = declare(
    "IDEMPOTENCY_CONFLICT", status=409, meaning="The idempotency key was used with another request."
)
