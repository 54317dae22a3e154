"""The paying side: a payment is built, signed elsewhere, and made ready to send (reference: 4.2, 4.3).

`prepare` asks the node once and gives what is to be signed; no key is ever here. `complete` puts the signature in and
asks the node once more, now with the authorisation enforced. `pay` does both around a signer.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from stellar_sdk import xdr

from lensproject.core import clock
from lensproject.core.stellar.answers import Simulation
from lensproject.core.stellar.networks import NETWORK_IDS, PASSPHRASES
from lensproject.core.stellar.rpc import Node
from lensproject.core.stellar.strkeys import is_address
from lensproject.core.x402.wire import VERSION, PaymentPayload, PaymentRequirements, ResourceInfo
from payments.x402 import reasons
from payments.x402.authorising import (
    account_signature,
    call_of,
    operation_of,
    recorded_authorisation,
    unsigned_entry,
    with_signature,
)
from payments.x402.building import to_pay, to_simulate
from payments.x402.judging import LEDGER_SECONDS, last_ledger, resources_of, simulation_refusal
from payments.x402.reasons import Refused
from payments.x402.signatures import preimage
from payments.x402.terms import check_terms


@dataclass(frozen=True)
class Unsigned:
    """A payment that lacks its signature only: what is signed, and the transaction to put the signature into.

    `preimage` is the XDR of HashIDPreimage; its SHA-256 `digest` is what an account's key signs.
    """

    requirements: PaymentRequirements
    payer: str
    nonce: int
    expiration: int
    latest_ledger: int
    preimage: bytes = field(repr=False)
    transaction: str = field(repr=False)

    @property
    def digest(self) -> bytes:
        return sha256(self.preimage).digest()

    @property
    def passphrase(self) -> str:
        return PASSPHRASES[self.requirements.network]


Signer = Callable[[Unsigned], Awaitable[bytes]]
"""Gives the 64 bytes of the payer's ed25519 signature over `digest`."""


async def prepare(
    requirements: PaymentRequirements,
    *,
    payer: str,
    node: Node,
    ledger_seconds: int = LEDGER_SECONDS,
    seconds: int | None = None,
) -> Unsigned:
    """Build a payment of these terms. `seconds` shortens the time for which it is valid.

    Raises Refused: the terms cannot be paid by this scheme, or the transfer fails in simulation (with our own fault
    where the contract says why); NodeFault.
    """
    units = check_payable(requirements, payer)
    call = call_of(requirements.asset, payer, requirements.pay_to, units)
    simulation = await node.simulate(to_simulate(operation_of(call, ())))
    _refuse_failure(simulation, requirements, payer)
    recorded_authorisation(simulation, payer, call)
    lasts = min(requirements.max_timeout_seconds, seconds or requirements.max_timeout_seconds)
    expiration = last_ledger(simulation.latest_ledger, lasts, ledger_seconds)
    nonce = secrets.randbits(63)
    entry = unsigned_entry(payer, nonce, expiration, call)
    return Unsigned(
        requirements=requirements,
        payer=payer,
        nonce=nonce,
        expiration=expiration,
        latest_ledger=simulation.latest_ledger,
        preimage=preimage(entry, NETWORK_IDS[requirements.network]),
        transaction=_envelope(operation_of(call, (entry,)), simulation, requirements),
    )


async def complete(unsigned: Unsigned, signature: bytes, *, node: Node) -> str:
    """The transaction for `payload.transaction`, with an account's signature in it, simulated as it will run.

    Raises Refused (the signature is not enough, or something changed meanwhile) and NodeFault.
    """
    return await complete_with(unsigned, account_signature(unsigned.payer, signature), node=node)


async def complete_with(unsigned: Unsigned, value: xdr.SCVal, *, node: Node) -> str:
    """The same for other accounts than those with one key: `value` is the whole signature value."""
    operation = with_signature(unsigned.transaction, unsigned.payer, value)
    simulation = await node.simulate(to_simulate(operation))
    _refuse_failure(simulation, unsigned.requirements, unsigned.payer)
    return _envelope(operation, simulation, unsigned.requirements)


async def pay(
    requirements: PaymentRequirements,
    *,
    payer: str,
    sign: Signer,
    node: Node,
    ledger_seconds: int = LEDGER_SECONDS,
    resource: ResourceInfo | None = None,
    extensions: Mapping[str, Any] | None = None,
) -> PaymentPayload:
    """A whole payment for PAYMENT-SIGNATURE. Raises Refused and NodeFault."""
    unsigned = await prepare(requirements, payer=payer, node=node, ledger_seconds=ledger_seconds)
    transaction = await complete(unsigned, await sign(unsigned), node=node)
    return payment_payload(requirements, transaction, resource=resource, extensions=extensions)


def payment_payload(
    accepted: PaymentRequirements,
    transaction: str,
    *,
    resource: ResourceInfo | None = None,
    extensions: Mapping[str, Any] | None = None,
) -> PaymentPayload:
    """The document around a transaction: the terms as they were offered, resource and extensions echoed."""
    return PaymentPayload(
        x402_version=VERSION,
        accepted=accepted,
        payload={"transaction": transaction},
        resource=resource,
        extensions=dict(extensions) if extensions else None,
    )


def check_payable(requirements: PaymentRequirements, payer: str) -> int:
    """The units to pay. Raises Refused: other scheme, network or addresses, or fees that the payer would bear."""
    if requirements.scheme != "exact":
        raise Refused(reasons.UNSUPPORTED_SCHEME)
    if requirements.network not in NETWORK_IDS:
        raise Refused(reasons.INVALID_NETWORK)
    amount = check_terms(requirements)
    if not is_address(requirements.pay_to) or not is_address(payer):
        raise Refused(reasons.INVALID_REQUIREMENTS, "payer and payTo are accounts (G…) or contracts (C…)")
    if (requirements.extra or {}).get("areFeesSponsored") is not True:
        raise Refused(reasons.INVALID_REQUIREMENTS, "extra.areFeesSponsored is not true")
    return amount


def _refuse_failure(simulation: Simulation, requirements: PaymentRequirements, payer: str) -> None:
    refusal = simulation_refusal(simulation, requirements.asset, payer)
    if refusal is not None:
        raise refusal


def _envelope(operation: bytes, simulation: Simulation, requirements: PaymentRequirements) -> str:
    judged = resources_of(simulation)
    until = int(clock.now().timestamp()) + requirements.max_timeout_seconds
    return to_pay(operation, judged.resources, judged.resource_fee, until)
