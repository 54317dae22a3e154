"""One run of a settlement that is claimed: lease an account, make a transaction, store it, send it, follow it.

A transaction that was refused for its sequence or its fee is followed by another one; there is never a second one while
the first may still be applied.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from time import monotonic

import structlog
from django.conf import settings

from lensproject.core import clock, pool
from lensproject.core.stellar.faults import NodeFault
from lensproject.core.stellar.rpc import Node
from lensproject.core.x402.wire import SettlementResponse
from payments.errors import AUTH_EXPIRED
from payments.facilitator import accounts, attempts, claims, fees
from payments.facilitator.attempts import Stored
from payments.facilitator.keys import KeyUnusable, signer
from payments.facilitator.nodes import node_at
from payments.facilitator.outcomes import concluded
from payments.facilitator.sending import Following
from payments.models import FacilitatorSettlement, SourceAccount
from payments.x402 import reasons
from payments.x402.accounts import account_states
from payments.x402.reasons import Refused
from payments.x402.settlement import Step, draft, seal
from payments.x402.verification import Rules, Verified

MORE_TRANSACTIONS = 2
"""After a refusal that says what to change, beside the first."""

LEASE_PAUSE = 0.1
log = structlog.get_logger(__name__)


@dataclass
class Run:
    """`seconds` (maxTimeoutSeconds) is how long a transaction is valid, `deadline` (monotonic) when to answer."""

    row: FacilitatorSettlement
    holder: str
    verified: Verified
    rules: Rules
    url: str
    seconds: int
    deadline: float

    async def run(self) -> SettlementResponse:
        """How it ended, or that it is under way. Raises Refused while nothing is under way."""
        node = await node_at(self.url)
        stored, step = await self._transaction(node, None)
        for _ in range(MORE_TRANSACTIONS):
            if step is None or not (step.wants_new_sequence or step.wants_higher_fee):
                break
            stored, step = await self._transaction(node, step)
        if step is None:
            await pool.write(claims.give_back, self.row.pk, self.holder)
            return claims.pending(self.row.payer, self.verified.checked.network, stored.unsigned.hash)
        return await concluded(node, self.row, self.holder, stored, step)

    async def _transaction(self, node: Node, before: Step | None) -> tuple[Stored, Step | None]:
        """One transaction from its account to its end; the step is None when the end is not known in time."""
        stored = await self._stored(node, before)
        step = await Following(node, stored).until(self.deadline)
        if step is not None:
            await pool.write(attempts.end, stored, step)
        return stored, step

    async def _stored(self, node: Node, before: Step | None) -> Stored:
        """A transaction that is signed and written down."""
        account = await self._leased()
        try:
            return await self._made(node, account, before)
        except (NodeFault, KeyUnusable, Refused) as fault:
            await pool.write(accounts.release, account.pk, self.holder)
            raise self._told(fault, account) from fault

    def _told(self, fault: NodeFault | KeyUnusable | Refused, account: SourceAccount) -> Refused:
        if isinstance(fault, Refused):
            return fault
        if isinstance(fault, NodeFault):
            return Refused(reasons.UNEXPECTED_SETTLE, str(fault), payer=self.row.payer)
        log.error("facilitator_key_unusable", account=account.address, reason=str(fault))
        return Refused(reasons.SIGNER_SELECTION_FAILED, payer=self.row.payer)

    async def _made(self, node: Node, account: SourceAccount, before: Step | None) -> Stored:
        sign = await pool.read(signer, account.key_name, account.address)
        state = (await account_states(node, [account.address])).get(account.address)
        if state is None or state.spendable < settings.LENS.facilitator_least_balance:
            await pool.write(accounts.set_aside, account.pk, self.holder)
            log.error("facilitator_account_low", account=account.address)
            raise Refused(reasons.SIGNER_SELECTION_FAILED, "no account can pay the fee", payer=self.row.payer)
        if state.latest_ledger >= self.verified.checked.expiration:
            message = "the authorisation ended while an account was waited for"
            raise Refused(reasons.SIMULATION_FAILED, message, payer=self.row.payer, fault=AUTH_EXPIRED)
        unsigned = draft(
            self.verified,
            source=account.address,
            sequence=state.sequence + 1,
            inclusion_fee=await fees.bid(node, self.rules, self.verified, before),
            seconds=self.seconds,
            now=clock.now(),
        )
        stored = await pool.write(
            attempts.store, self.row.pk, self.holder, account, seal(unsigned, sign), at_ledger=state.latest_ledger
        )
        if stored is None:
            raise Refused(reasons.INVALID_STATE, "another run has taken this over", payer=self.row.payer)
        return stored

    async def _leased(self) -> SourceAccount:
        """Wait for an account: each has one transaction under way at most."""
        network = self.verified.checked.network
        while True:
            account = await pool.write(accounts.lease, network, self.holder)
            if account is not None:
                return account
            if monotonic() > self.deadline or not await pool.read(accounts.any_active, network):
                raise Refused(reasons.SIGNER_SELECTION_FAILED, "no account is free", payer=self.row.payer)
            await asyncio.sleep(LEASE_PAUSE)
