"""Settling one payment: verify the whole of it, claim its row, make one transaction at a time, write down what became
of it (design: facilitator, Settling).

The flow holds no connection, no transaction and no pool thread while it waits. Its state is in the rows: whoever finds
them goes on from there (`resuming`).
"""

from __future__ import annotations

import asyncio
from time import monotonic
from uuid import uuid4

import structlog

from lensproject.core import pool
from lensproject.core.callers import Caller
from lensproject.core.x402.wire import PaymentPayload, PaymentRequirements, SettlementResponse
from payments.facilitator import attempts, claims, permission
from payments.facilitator.claims import Asked
from payments.facilitator.running import Run
from payments.facilitator.situation import Situation, situation
from payments.facilitator.verifying import check_bytes, examined
from payments.x402 import reasons
from payments.x402.reasons import Refused
from payments.x402.terms import Checked

SECONDS = 75.0
"""How long an answer may take. Callers wait 90 s at most, and proxies often 80."""

LOOK_AGAIN_SECONDS = 0.1
WAIT_FOR_ANOTHER_SECONDS = 10.0

log = structlog.get_logger(__name__)
_running: set[asyncio.Task[SettlementResponse]] = set()


async def settle(payload: PaymentPayload, requirements: PaymentRequirements, caller: Caller) -> SettlementResponse:
    """The answer to /settle. Raises Unauthenticated and PermissionDenied.

    A caller who leaves ends its own waiting only.
    """
    api_key = await pool.read(permission.check_caller, caller, requirements)
    task = asyncio.create_task(_settled(payload, requirements, claims.asked(payload, requirements, api_key)))
    _running.add(task)
    task.add_done_callback(_running.discard)
    return await asyncio.shield(task)


async def _settled(payload: PaymentPayload, requirements: PaymentRequirements, what: Asked) -> SettlementResponse:
    network = requirements.network
    deadline = monotonic() + SECONDS
    try:
        now = await pool.read(situation, requirements)
        checked = check_bytes(payload, requirements, now)
        return await _known(checked, what) or await _settle(payload, requirements, now, what, deadline)
    except Refused as refused:
        return claims.failure(
            refused.reason, refused.message, payer=refused.payer, network=network, extra=refused.extra()
        )
    except Exception:  # Whatever it is, the row says how far it came and the worker goes on from there.
        log.exception("settling_failed", network=network, payload_hash=what.payload_hash)
        return claims.failure(reasons.UNEXPECTED_SETTLE, payer=None, network=network)


async def _known(checked: Checked, what: Asked) -> SettlementResponse | None:
    """The answer to who asks again, from the row alone. It waits while a run has not decided on a transaction yet."""
    until = monotonic() + WAIT_FOR_ANOTHER_SECONDS
    while True:
        row = await pool.read(claims.find, checked)
        if row is None or (row.state == claims.State.FAILED and row.payload_hash == what.payload_hash):
            return None
        answer = await pool.read(claims.answer_again, row, what, checked.network)
        if answer is not None:
            return answer
        if monotonic() > until:
            message = "another request settles this payment"
            return claims.failure(reasons.INVALID_STATE, message, payer=checked.payer, network=checked.network)
        await asyncio.sleep(LOOK_AGAIN_SECONDS)


async def _settle(
    payload: PaymentPayload, requirements: PaymentRequirements, now: Situation, what: Asked, deadline: float
) -> SettlementResponse:
    verified = await examined(payload, requirements, now, for_settling=True)
    checked, network = verified.checked, requirements.network
    if now.asset is None or now.url is None:  # Said by `examined` before.
        raise Refused(reasons.INVALID_REQUIREMENTS)
    if await pool.read(permission.too_many_failures, checked.payer, requirements.pay_to):
        raise Refused(reasons.INVALID_STATE, "too many transactions failed within an hour", payer=checked.payer)
    holder = f"run_{uuid4().hex}"
    row = await pool.write(claims.claim, what, checked, asset=now.asset, pay_to=requirements.pay_to, holder=holder)
    if row is None:
        answer = await _known(checked, what)
        return answer or claims.failure(reasons.INVALID_STATE, payer=checked.payer, network=network)
    try:
        return await Run(row, holder, verified, now.rules, now.url, requirements.max_timeout_seconds, deadline).run()
    except Refused as refused:
        await pool.write(attempts.fail, row.pk, holder, refused.reason)
        raise
