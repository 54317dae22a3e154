"""What a transaction of ours may cost: the bid for inclusion, within the ceiling for one transaction.

Budgets of fees by key, payTo, payer and day are not here yet: one transaction's ceiling is the only limit.
"""

from __future__ import annotations

from lensproject.core.stellar.faults import NodeFault
from lensproject.core.stellar.rpc import Node
from payments.x402.settlement import Step, inclusion_fee
from payments.x402.verification import Rules, Verified


async def bid(node: Node, rules: Rules, verified: Verified, before: Step | None) -> int:
    """Stroops to offer for inclusion: what the network asks, or all that the ceiling leaves when that was too little.

    A node that cannot tell what others pay costs nothing but the least bid.
    """
    most = max(rules.inclusion_fee, rules.fee_ceiling - verified.resource_fee)
    if before is not None and before.wants_higher_fee:
        return most
    try:
        return inclusion_fee(await node.fees(), floor=rules.inclusion_fee, ceiling=most)
    except NodeFault:
        return rules.inclusion_fee
