"""Verifying for a seller: what the scheme asks for, and what we ask for besides. It changes nothing anywhere."""

from __future__ import annotations

from bazaar.errors import UnsupportedAsset
from lensproject.core import pool
from lensproject.core.x402.wire import PaymentPayload, PaymentRequirements, VerifyResponse
from payments.facilitator.nodes import node_at
from payments.facilitator.situation import Situation, situation
from payments.x402 import reasons, terms
from payments.x402.reasons import Refused
from payments.x402.terms import Checked
from payments.x402.verification import Verified, examine


async def verify(payload: PaymentPayload, requirements: PaymentRequirements) -> VerifyResponse:
    """The answer to /verify."""
    try:
        found = await examined(payload, requirements, await pool.read(situation, requirements))
    except Refused as refused:
        return VerifyResponse(
            is_valid=False,
            invalid_reason=refused.reason,
            invalid_message=refused.message or None,
            payer=refused.payer,
            extra=refused.extra(),
        )
    return VerifyResponse(is_valid=True, payer=found.checked.payer)


async def examined(
    payload: PaymentPayload, requirements: PaymentRequirements, now: Situation, *, for_settling: bool = False
) -> Verified:
    """The whole verification. Raises Refused."""
    if now.asset is None or now.url is None:
        check_bytes(payload, requirements, now)
        raise Refused(reasons.INVALID_REQUIREMENTS, "the asset is not listed here", fault=UnsupportedAsset.code)
    node = await node_at(now.url)
    found = await examine(payload, requirements, node=node, rules=now.rules, token=now.token, for_settling=for_settling)
    refuse_paying_oneself(found.checked, requirements)
    return found


def check_bytes(payload: PaymentPayload, requirements: PaymentRequirements, now: Situation) -> Checked:
    """What can be said without a node. Raises Refused."""
    checked = terms.check(payload, requirements, networks=now.rules.networks, own=now.rules.own)
    refuse_paying_oneself(checked, requirements)
    return checked


def refuse_paying_oneself(checked: Checked, requirements: PaymentRequirements) -> None:
    """Money that comes back costs us a fee and shows nothing."""
    if checked.payer == requirements.pay_to:
        raise Refused(reasons.INVALID_REQUIREMENTS, "payer and payTo are the same account", payer=checked.payer)
