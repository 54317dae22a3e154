"""Going on with what a killed process left, and with accounts that were funded again: looks at rows, run by a job."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from uuid import uuid4

from django.conf import settings

from lensproject.core import clock, pool
from lensproject.core.stellar.faults import NodeFault
from payments.facilitator import attempts, claims
from payments.facilitator.attempts import Stored
from payments.facilitator.nodes import node_at
from payments.facilitator.outcomes import concluded
from payments.facilitator.sending import Following
from payments.models import FacilitatorSettlement, SourceAccount
from payments.x402 import reasons
from payments.x402.accounts import account_states

BATCH = 20
SECONDS = 20.0


@dataclass(frozen=True)
class Left:
    """A settlement that is ours now; without `stored` nothing was ever sent."""

    row: FacilitatorSettlement
    holder: str
    stored: Stored | None


async def resume_settlements() -> int:
    """Go on with settlements whose run has ended without an outcome. Returns how many have one now."""
    ended = 0
    for key in await pool.read(left_behind):
        left = await pool.write(take_over, key)
        ended += left is not None and await _resume(left)
    return ended


async def _resume(left: Left) -> bool:
    if left.stored is None:
        return await pool.write(attempts.fail, left.row.pk, left.holder, reasons.UNEXPECTED_SETTLE)
    node = await node_at(left.row.network.rpc_url)
    step = await Following(node, left.stored, resumed=True).until(monotonic() + SECONDS)
    if step is None:
        await pool.write(claims.give_back, left.row.pk, left.holder)
        return False
    await pool.write(attempts.end, left.stored, step)
    await concluded(node, left.row, left.holder, left.stored, step)
    return True


def left_behind() -> list[int]:
    """Settlements under way whose run should have ended by now."""
    rows = FacilitatorSettlement.objects.filter(state=claims.State.WORKING, leased_until__lte=clock.now())
    return list(rows.order_by("leased_until").values_list("pk", flat=True)[:BATCH])


def take_over(settlement: int) -> Left | None:
    """Hold a settlement that was left; None when somebody else was first."""
    holder, now = f"job_{uuid4().hex}", clock.now()
    rows = FacilitatorSettlement.objects.filter(pk=settlement, state=claims.State.WORKING, leased_until__lte=now)
    if not rows.update(holder=holder, leased_until=now + claims.LEASE):
        return None
    row = FacilitatorSettlement.objects.select_related("network").get(pk=settlement)
    return Left(row, holder, attempts.open_attempt(settlement))


async def revive_accounts() -> int:
    """Put accounts back to use that were low and have been funded since. Returns how many."""
    revived = 0
    for url, addresses in (await pool.read(low_accounts)).items():
        try:
            states = await account_states(await node_at(url), addresses)
        except NodeFault:
            continue
        rich = [each.address for each in states.values() if each.spendable >= settings.LENS.facilitator_least_balance]
        revived += await pool.write(activate, rich, url)
    return revived


def low_accounts() -> dict[str, list[str]]:
    """Addresses by the URL of their network's node."""
    found: dict[str, list[str]] = {}
    low = SourceAccount.objects.filter(state=SourceAccount.State.LOW, network__enabled=True).exclude(
        network__rpc_url=""
    )
    for url, address in low.values_list("network__rpc_url", "address")[:200]:
        found.setdefault(url, []).append(address)
    return found


def activate(addresses: list[str], url: str) -> int:
    low = SourceAccount.objects.filter(state=SourceAccount.State.LOW, network__rpc_url=url, address__in=addresses)
    return low.update(state=SourceAccount.State.ACTIVE)
