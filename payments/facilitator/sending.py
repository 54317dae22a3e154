"""Sending a stored transaction and following its hash until the ledger has decided (design: facilitator, Settling)."""

from __future__ import annotations

import asyncio
from time import monotonic

from lensproject.core import pool
from lensproject.core.stellar.answers import Sent
from lensproject.core.stellar.faults import NodeFault
from lensproject.core.stellar.rpc import Node
from payments.facilitator import attempts
from payments.facilitator.attempts import Stored
from payments.x402.settlement import Next, Step, after_asking, after_sending

FIRST_PAUSE, LONGEST_PAUSE = 0.1, 1.0


class Following:
    """One transaction, by one node. `resumed`: an earlier process may have sent it, so its hash is asked for first."""

    def __init__(self, node: Node, stored: Stored, *, resumed: bool = False) -> None:
        self.node = node
        self.stored = stored
        self.unanswered = stored.unanswered
        self.resumed = resumed
        self.shown = 0

    async def until(self, deadline: float) -> Step | None:
        """How it ended; None when that is not known at the deadline (of `time.monotonic`)."""
        step = await self._first()
        pause = FIRST_PAUSE
        while step.next in (Next.POLL, Next.RESEND):
            if monotonic() + pause > deadline:
                return None
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, LONGEST_PAUSE)
            step = await (self._send() if step.next is Next.RESEND else self._ask())
        return step

    async def _first(self) -> Step:
        if not self.resumed:
            return await self._send()
        step = await self._ask()
        if step.next is not Next.POLL:
            return step
        await self._note_unanswered()
        return await self._send()

    async def _send(self) -> Step:
        answer: Sent | NodeFault
        try:
            answer = await self.node.send(self.stored.envelope)
            step = after_sending(answer, earlier_unanswered=self.unanswered)
        except NodeFault as fault:
            answer = fault
            step = after_sending(answer, earlier_unanswered=self.unanswered)
        if isinstance(answer, NodeFault):
            if answer.may_have_arrived:
                await self._note_unanswered()
            return step
        self.shown = max(self.shown, answer.latest_ledger)
        # No ledger takes it any more, so there is no use in sending: what the node says of the hash decides.
        is_late = step.next is Next.RESEND and answer.latest_ledger >= self.stored.unsigned.before_ledger
        return Step(Next.POLL) if is_late else step

    async def _ask(self) -> Step:
        try:
            found = await self.node.transaction(self.stored.unsigned.hash)
            step = after_asking(
                found,
                unsigned=self.stored.unsigned,
                shown_earlier=self.shown,
                first_sent_at=self.stored.made_at_ledger,
            )
        except NodeFault:
            return Step(Next.POLL)
        self.shown = max(self.shown, found.latest_ledger)
        return step

    async def _note_unanswered(self) -> None:
        if not self.unanswered:
            self.unanswered = True
            await pool.write(attempts.note_unanswered, self.stored.attempt)
