"""What the end of a transaction means for its settlement, and what the caller hears of it."""

from __future__ import annotations

from lensproject.core import pool
from lensproject.core.stellar.faults import NodeFault
from lensproject.core.stellar.rpc import Node
from lensproject.core.x402.wire import SettlementResponse
from payments.facilitator import attempts, claims
from payments.facilitator.attempts import REASONS, Stored
from payments.models import FacilitatorSettlement
from payments.x402 import ledger_keys, reasons
from payments.x402.settlement import Next, Step

# A hash that is in no ledger tells nobody anything.
SHOWS_HASH = frozenset({Next.SUCCESS, Next.FAILED})


async def concluded(
    node: Node, row: FacilitatorSettlement, holder: str, stored: Stored, step: Step
) -> SettlementResponse:
    """End the settlement after its last transaction has ended, and give the answer."""
    network = row.network.name
    hash = stored.unsigned.hash if step.next in SHOWS_HASH else ""
    if step.next is Next.SUCCESS:
        return claims.settled(row.payer, network, hash, row.units)
    used = await _is_used(node, row) if step.next is Next.IMPOSSIBLE else False
    reason = reasons.INVALID_STATE if used else REASONS[step.next]
    await pool.write(attempts.fail, row.pk, holder, reason, used=used)
    message = "another transaction used the authorisation" if used else step.result or ""
    return claims.failure(reason, message, payer=row.payer, network=network, hash=hash)


async def _is_used(node: Node, row: FacilitatorSettlement) -> bool:
    """Whether the nonce's entry is there although our transaction is in no ledger. A node that is away says nothing:
    whoever tries again has the nonce looked at before anything else.
    """
    key = ledger_keys.nonce(row.payer, row.nonce)
    try:
        return key in (await node.entries([key])).found
    except NodeFault:
        return False
