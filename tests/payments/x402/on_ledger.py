"""Payments on the local ledger: its terms, its asset, and payments with one thing changed."""

from __future__ import annotations

import asyncio
from typing import Any

from stellar_sdk import Keypair

from lensproject.core.stellar.networks import LOCAL
from lensproject.core.stellar.rpc import Node
from lensproject.core.x402.wire import PaymentPayload, PaymentRequirements
from payments.x402 import client
from payments.x402.ledger_keys import Token
from payments.x402.verification import Rules, Verification, verify
from tests.payments.sandbox.running import RunningSandbox
from tests.payments.x402 import golden, made

RULES = Rules(networks=frozenset({LOCAL}), own=frozenset({golden.FACILITATOR}))


def token(ledger: RunningSandbox) -> Token:
    return Token(ledger.contract, ledger.code, ledger.issuer)


def terms(ledger: RunningSandbox, pay_to: str, **over: Any) -> PaymentRequirements:
    return made.terms(**({"network": LOCAL, "asset": ledger.contract, "payTo": pay_to} | over))


def by_hand(
    ledger: RunningSandbox, requirements: PaymentRequirements, payer: Keypair, *, lasts: int = 12, nonce: int = 7
) -> PaymentPayload:
    """A payment made by stellar-sdk whose authorisation lasts so many ledgers from now."""
    expiration = ledger.step(0) + lasts
    args = made.arguments(from_=payer.public_key, to=requirements.pay_to, amount=int(requirements.amount))
    transaction = made.payment(
        args,
        asset=requirements.asset,
        signer=payer,
        nonce=nonce,
        expiration=expiration,
        passphrase=ledger.passphrase,
    )
    return made.paying(transaction, accepted=requirements.write())


def by_client(ledger: RunningSandbox, requirements: PaymentRequirements, payer: Keypair) -> PaymentPayload:
    """A payment made by our own client."""

    async def sign(unsigned: client.Unsigned) -> bytes:
        return payer.sign(unsigned.digest)

    async def build() -> PaymentPayload:
        async with Node(ledger.url) as node:
            return await client.pay(requirements, payer=payer.public_key, sign=sign, node=node)

    return asyncio.run(build())


def verified(
    url: str,
    payload: PaymentPayload,
    requirements: PaymentRequirements,
    *,
    rules: Rules = RULES,
    token: Token | None = None,
    for_settling: bool = False,
) -> Verification:
    async def ask() -> Verification:
        async with Node(url) as node:
            return await verify(payload, requirements, node=node, rules=rules, token=token, for_settling=for_settling)

    return asyncio.run(ask())


def answer(*args: Any, **kwargs: Any) -> dict[str, Any]:
    """The answer as it goes over the wire, without the message."""
    written = verified(*args, **kwargs).response.write()
    written.pop("invalidMessage", None)
    return written
