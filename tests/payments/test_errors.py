from __future__ import annotations

import pytest

from lensproject.core.errors import CODES, ErrorCode
from payments import errors

TABLE = {
    "POLICY_DENIED": (403, False),
    "BUDGET_EXCEEDED": (402, False),
    "APPROVAL_REQUIRED": (202, True),
    "APPROVAL_DENIED": (403, False),
    "AGENT_PAUSED": (403, False),
    "PAYMENT_REQUIRED": (402, True),
    "INVALID_PAYMENT_PAYLOAD": (400, False),
    "INVALID_SIGNATURE": (400, False),
    "AUTH_EXPIRED": (400, False),
    "REPLAY_DETECTED": (409, False),
    "AMOUNT_MISMATCH": (402, False),
    "ASSET_MISMATCH": (402, False),
    "RECIPIENT_MISMATCH": (402, False),
    "TRUSTLINE_REQUIRED": (424, False),
    "INSUFFICIENT_BALANCE": (424, False),
    "SETTLEMENT_PENDING": (202, True),
    "SETTLEMENT_FAILED": (502, True),
    "UPSTREAM_ERROR": (502, False),
    "IDEMPOTENCY_CONFLICT": (409, False),
}


@pytest.mark.parametrize("name", TABLE)
def test_a_code_keeps_its_status_and_whether_it_may_be_retried(name: str) -> None:
    code = getattr(errors, name)
    assert isinstance(code, ErrorCode)
    assert code is CODES[name]
    assert (code.name, code.status, code.retryable) == (name, *TABLE[name])
    assert code.meaning.endswith(".")


def test_nothing_is_declared_beside_the_table() -> None:
    declared = {name for name, value in vars(errors).items() if isinstance(value, ErrorCode)}
    assert declared == set(TABLE)
