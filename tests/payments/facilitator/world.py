"""A facilitator on a real ledger: the rows it needs, accounts with money, and payments made by our own client."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

from nacl.signing import SigningKey
from stellar_sdk import Keypair

from bazaar.models import Asset
from lensproject.core.callers import ANONYMOUS, Caller
from lensproject.core.stellar.rpc import Node
from lensproject.core.x402.wire import PaymentPayload, PaymentRequirements, ResourceInfo, SettlementResponse
from payments.facilitator.settling import settle
from payments.facilitator.verifying import verify
from payments.models import FacilitatorSettlement, SettlementAttempt, SourceAccount
from payments.x402.client import Unsigned, pay
from payments.x402.resource_server import Price, payment_requirements
from tests.builders import make_asset, make_network, make_source_account
from tests.payments.sandbox.running import RunningSandbox

T = TypeVar("T")

URL = "https://weather.example/weather/Oslo"
SECONDS = 600


@dataclass(frozen=True)
class World:
    """`asset` is the ledger's USDC-like asset, `source` the facilitator's account, `seller` has a trustline."""

    ledger: RunningSandbox
    asset: Asset
    source: SourceAccount
    source_key: Keypair
    payer: Keypair
    seller: Keypair

    def terms(self, amount: str = "0.05", **over: Any) -> PaymentRequirements:
        values: dict[str, Any] = {
            "network": self.ledger.network,
            "pay_to": self.seller.public_key,
            "seconds": SECONDS,
        } | over
        return payment_requirements(Price(self.ledger.contract, amount), **values)

    def payment(self, terms: PaymentRequirements | None = None, *, payer: Keypair | None = None) -> PaymentPayload:
        """A payment that the payer signed, for the resource at URL."""
        return run(self._payment(terms or self.terms(), payer or self.payer))

    async def _payment(self, terms: PaymentRequirements, payer: Keypair) -> PaymentPayload:
        async with Node(self.ledger.url) as node:
            return await pay(
                terms, payer=payer.public_key, sign=signing(payer), node=node, resource=ResourceInfo(url=URL)
            )

    def units_of(self, keypair: Keypair) -> int:
        return self.ledger.balance(keypair.public_key)


def signing(keypair: Keypair) -> Any:
    async def sign(unsigned: Unsigned) -> bytes:
        return SigningKey(keypair.raw_secret_key()).sign(unsigned.digest).signature

    return sign


def run(flow: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(flow)


def settled(payload: PaymentPayload, terms: PaymentRequirements, caller: Caller = ANONYMOUS) -> SettlementResponse:
    return run(settle(payload, terms, caller))


def verdict(payload: PaymentPayload, terms: PaymentRequirements) -> dict[str, Any]:
    return run(verify(payload, terms)).write()


def make_world(ledger: RunningSandbox, source_key: Keypair) -> World:
    """The rows, on the database in use; accounts are made on the ledger."""
    network = make_network(ledger.network, passphrase=ledger.passphrase, rpc_url=ledger.url)
    asset = make_asset(network=network, code=ledger.code, issuer=ledger.issuer)
    assert asset.contract == ledger.contract
    return World(
        ledger=ledger,
        asset=asset,
        source=make_source_account(network=network, address=source_key.public_key),
        source_key=source_key,
        payer=ledger.funded(Keypair.random(), "1"),
        seller=ledger.funded(Keypair.random(), "0"),
    )


async def until(question: Callable[[], bool]) -> None:
    """Ask the database until it says yes."""
    while not await asyncio.to_thread(question):  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(0.02)


def rows() -> list[FacilitatorSettlement]:
    return list(FacilitatorSettlement.objects.order_by("pk"))


def attempts() -> list[SettlementAttempt]:
    return list(SettlementAttempt.objects.order_by("pk"))
