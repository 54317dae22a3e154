"""What the workers do for payments, again and again."""

from __future__ import annotations

from lensproject.core.jobs import every
from payments.facilitator import resuming


@every(2)
async def resume_settlements() -> int:
    """Settlements whose process was killed, or whose answer was given before the ledger had decided."""
    return await resuming.resume_settlements()


@every(30)
async def revive_source_accounts() -> int:
    """Accounts that had too little left for fees."""
    return await resuming.revive_accounts()
