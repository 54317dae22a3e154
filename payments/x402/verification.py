"""Verifying a payment: what its bytes say, then what the ledger says, in one round trip (reference: 4.4, 4.5).

The node is asked two things at the same time: the ledger entries that the payment depends on, and a simulation of the
client's operation in our own envelope. Their answers are judged in the order of design/money/facilitator.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

from lensproject.core.stellar.faults import NodeFault
from lensproject.core.stellar.rpc import Node
from lensproject.core.x402.wire import PaymentPayload, PaymentRequirements, VerifyResponse
from payments.x402 import holdings, ledger_keys, reasons, terms
from payments.x402.building import to_simulate
from payments.x402.judging import Rules, judge
from payments.x402.ledger_keys import Token
from payments.x402.reasons import Refused
from payments.x402.terms import Checked

A = TypeVar("A")
B = TypeVar("B")

__all__ = ["Rules", "Token", "Verification", "Verified", "examine", "verify"]


@dataclass(frozen=True)
class Verified:
    """A payment that would go through now, with what settling needs.

    `resources` (XDR) and `resource_fee` (stroops) are of this simulation. `unused_at` is the ledger as of which the
    nonce was unused. `minimum_life` is the network's `minTemporaryTTL`, where it was asked for.
    """

    checked: Checked
    resources: bytes = field(repr=False)
    resource_fee: int
    latest_ledger: int
    unused_at: int
    minimum_life: int | None


@dataclass(frozen=True)
class Verification:
    """The answer for the wire and, when it is valid, what stands behind it."""

    response: VerifyResponse
    verified: Verified | None


async def verify(
    payload: PaymentPayload,
    requirements: PaymentRequirements,
    *,
    node: Node,
    rules: Rules,
    token: Token | None = None,
    for_settling: bool = False,
) -> Verification:
    """The answer to /verify. It changes nothing anywhere. Raises nothing for a payment that is not valid."""
    try:
        found = await examine(payload, requirements, node=node, rules=rules, token=token, for_settling=for_settling)
    except Refused as refused:
        response = VerifyResponse(
            is_valid=False,
            invalid_reason=refused.reason,
            invalid_message=refused.message or None,
            payer=refused.payer,
            extra=refused.extra(),
        )
        return Verification(response, None)
    return Verification(VerifyResponse(is_valid=True, payer=found.checked.payer), found)


async def examine(
    payload: PaymentPayload,
    requirements: PaymentRequirements,
    *,
    node: Node,
    rules: Rules,
    token: Token | None = None,
    for_settling: bool = False,
) -> Verified:
    """The whole verification. Raises Refused, also (`unexpected_verify_error`) when the node cannot be asked.

    With `token`, missing trustlines and balances are named; without it they are left to the simulation.
    """
    checked = terms.check(payload, requirements, networks=rules.networks, own=rules.own)
    keys = _keys(checked, requirements, token, for_settling)
    try:
        entries, simulation = await _both(
            node.entries(keys), node.simulate(to_simulate(checked.operation, rules.simulate_from))
        )
        judged = judge(checked, requirements, rules=rules, token=token, entries=entries, simulation=simulation)
        life = entries.found.get(ledger_keys.state_archival()) if for_settling else None
        minimum_life = None if life is None else holdings.minimum_life(life)
    except NodeFault as fault:
        raise Refused(reasons.UNEXPECTED_VERIFY, str(fault), payer=checked.payer) from fault
    return Verified(
        checked=checked,
        resources=judged.resources,
        resource_fee=judged.resource_fee,
        latest_ledger=simulation.latest_ledger,
        unused_at=entries.latest_ledger,
        minimum_life=minimum_life,
    )


def _keys(checked: Checked, requirements: PaymentRequirements, token: Token | None, for_settling: bool) -> list[str]:
    keys = [ledger_keys.nonce(checked.payer, checked.nonce)]
    if token is not None:
        held = (holdings.key_of(address, token) for address in (checked.payer, requirements.pay_to))
        keys += [key for key in held if key is not None]
    if for_settling:
        keys.append(ledger_keys.state_archival())
    return list(dict.fromkeys(keys))


async def _both(first: Coroutine[Any, Any, A], second: Coroutine[Any, Any, B]) -> tuple[A, B]:
    """Wait for both at the same time; when one fails, the other is not waited for."""
    tasks = asyncio.ensure_future(first), asyncio.ensure_future(second)
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
