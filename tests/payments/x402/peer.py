"""Our scheme behind the interfaces of the PyPI package `x402`: its client, server and facilitator run on our code."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

from stellar_sdk import Keypair
from x402 import schemas
from x402.payment_flow import AUTHORIZATION_PAYMENT_FLOW

from lensproject.core.stellar.rpc import Node
from lensproject.core.x402.wire import PaymentPayload, PaymentRequirements
from payments.x402 import client, settlement
from payments.x402.accounts import account_states
from payments.x402.ledger_keys import Token
from payments.x402.resource_server import Price, enhance, payment_requirements
from payments.x402.verification import Rules, verify
from tests.payments.sandbox.running import RunningSandbox


def ours(document: Any) -> dict[str, Any]:
    found = document.model_dump(mode="json", by_alias=True, exclude_none=True)
    assert isinstance(found, dict)
    return found


class Client:
    """What `x402ClientSync` takes as a scheme."""

    scheme = "exact"

    def __init__(self, ledger: RunningSandbox, payer: Keypair) -> None:
        self.ledger, self.payer = ledger, payer

    def create_payment_payload(self, requirements: schemas.PaymentRequirements) -> dict[str, Any]:
        async def sign(unsigned: client.Unsigned) -> bytes:
            return self.payer.sign(unsigned.digest)

        async def build() -> dict[str, Any]:
            offer = PaymentRequirements.read(ours(requirements))
            async with Node(self.ledger.url) as node:
                return (await client.pay(offer, payer=self.payer.public_key, sign=sign, node=node)).payload

        return asyncio.run(build())


class Server:
    """What `x402ResourceServerSync` takes as a scheme: prices in the ledger's asset."""

    scheme = "exact"
    default_asset_transfer_method = "default"
    payment_flows = {"default": AUTHORIZATION_PAYMENT_FLOW}  # noqa: RUF012 - the shape of the interface

    def __init__(self, ledger: RunningSandbox) -> None:
        self.ledger = ledger

    def parse_price(self, price: Any, network: str) -> schemas.AssetAmount:
        offer = payment_requirements(
            Price(self.ledger.contract, str(price).removeprefix("$")), network=network, pay_to=self.ledger.issuer
        )
        return schemas.AssetAmount(amount=offer.amount, asset=offer.asset)

    def enhance_payment_requirements(
        self, requirements: schemas.PaymentRequirements, supported_kind: schemas.SupportedKind, extensions: list[str]
    ) -> schemas.PaymentRequirements:
        found = enhance(PaymentRequirements.read(ours(requirements)), ours(supported_kind))
        return schemas.PaymentRequirements.model_validate(found.write())


class Facilitator:
    """What `x402FacilitatorSync` takes as a scheme. It settles one payment after the other from one account."""

    scheme = "exact"
    caip_family = "stellar:*"

    def __init__(self, ledger: RunningSandbox, channel: Keypair) -> None:
        self.ledger, self.channel = ledger, channel
        self.rules = Rules(networks=frozenset({ledger.network}), own=frozenset({channel.public_key}))
        self.token = Token(ledger.contract, ledger.code, ledger.issuer)

    def get_extra(self, network: str) -> dict[str, Any]:
        return {"areFeesSponsored": True}

    def get_signers(self, network: str) -> list[str]:
        return [self.channel.public_key]

    def verify(
        self, payload: schemas.PaymentPayload, requirements: schemas.PaymentRequirements, context: Any = None
    ) -> schemas.VerifyResponse:
        async def ask() -> dict[str, Any]:
            async with Node(self.ledger.url) as node:
                found = await verify(*_read(payload, requirements), node=node, rules=self.rules, token=self.token)
                return found.response.write()

        return schemas.VerifyResponse.model_validate(asyncio.run(ask()))

    def settle(
        self, payload: schemas.PaymentPayload, requirements: schemas.PaymentRequirements, context: Any = None
    ) -> schemas.SettleResponse:
        document, offer = _read(payload, requirements)

        async def send() -> dict[str, Any]:
            async with Node(self.ledger.url) as node:
                found = await verify(document, offer, node=node, rules=self.rules, token=self.token)
                answer: dict[str, Any] = {"network": offer.network, "payer": found.response.payer}
                if found.verified is None:
                    return answer | {"success": False, "transaction": "", "errorReason": found.response.invalid_reason}
                state = (await account_states(node, [self.channel.public_key]))[self.channel.public_key]
                unsigned = settlement.draft(
                    found.verified,
                    source=state.address,
                    sequence=state.sequence + 1,
                    inclusion_fee=100,
                    seconds=offer.max_timeout_seconds,
                    now=datetime.now(UTC),
                )
                await node.send(settlement.seal(unsigned, self.channel.sign).envelope)
                self.ledger.step()
                step = settlement.after_asking(
                    await node.transaction(unsigned.hash), unsigned=unsigned, shown_earlier=0, first_sent_at=0
                )
                return answer | {"success": step.next is settlement.Next.SUCCESS, "transaction": unsigned.hash}

        return schemas.SettleResponse.model_validate(asyncio.run(send()))


def _read(payload: Any, requirements: Any) -> tuple[PaymentPayload, PaymentRequirements]:
    return PaymentPayload.read(ours(payload)), PaymentRequirements.read(ours(requirements))
