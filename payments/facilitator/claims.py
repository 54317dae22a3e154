"""One row for (network, payer, nonce): claimed by who settles it, and asked when somebody asks again.

Steps on the database. What is remembered is who asked for what: only they get the first result a second time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Any

from django.db import IntegrityError, transaction

from bazaar.models import Asset
from lensproject.core import clock
from lensproject.core.x402.wire import PaymentPayload, PaymentRequirements, SettlementResponse
from payments.models import FacilitatorSettlement, SettlementAttempt
from payments.x402 import reasons
from payments.x402.terms import Checked

State = FacilitatorSettlement.State

LEASE = timedelta(seconds=100)
"""How long a run may take before the worker goes on in its place."""

ANSWERED_AGAIN = timedelta(seconds=120)
"""How long after it was settled the first result is given again."""

MAX_URL = 2048


@dataclass(frozen=True)
class Asked:
    """Who asks for what, exactly: hashes of the scheme's payload and of the requirements, the resource, the key."""

    payload_hash: str
    requirements_hash: str
    resource_url: str
    api_key: int | None


def asked(payload: PaymentPayload, requirements: PaymentRequirements, api_key: int | None) -> Asked:
    url = payload.resource.url if payload.resource is not None else ""
    return Asked(_digest(payload.payload), _digest(requirements.write()), url[:MAX_URL], api_key)


def find(checked: Checked) -> FacilitatorSettlement | None:
    """The row of a payment, whoever made it."""
    rows = FacilitatorSettlement.objects.filter(payer=checked.payer, nonce=checked.nonce)
    return rows.select_related("network").filter(network__name=checked.network).first()


def claim(what: Asked, checked: Checked, *, asset: Asset, pay_to: str, holder: str) -> FacilitatorSettlement | None:
    """The row, now held by `holder`; None when another run has it, when it has ended for good, or is of other bytes.

    A failure that left the nonce unused is not the end: the same bytes may try again.
    """
    until = clock.now() + LEASE
    mine = {"requirements_hash": what.requirements_hash, "resource_url": what.resource_url, "api_key_id": what.api_key}
    try:
        with transaction.atomic():
            return FacilitatorSettlement.objects.create(
                network=asset.network,
                payer=checked.payer,
                nonce=checked.nonce,
                pay_to=pay_to,
                asset=asset,
                units=checked.units,
                expiration=checked.expiration,
                payload_hash=what.payload_hash,
                holder=holder,
                leased_until=until,
                created_at=clock.now(),
                **mine,
            )
    except IntegrityError:
        rows = FacilitatorSettlement.objects.filter(
            network_id=asset.network_id, payer=checked.payer, nonce=checked.nonce
        )
    failed = rows.filter(state=State.FAILED, payload_hash=what.payload_hash)
    again = failed.update(state=State.WORKING, reason="", ended_at=None, holder=holder, leased_until=until, **mine)
    return find(checked) if again else None


def give_back(settlement: int, holder: str) -> None:
    """Let the worker go on with it now: the run has answered and nothing is decided yet."""
    rows = FacilitatorSettlement.objects.filter(pk=settlement, holder=holder, state=State.WORKING)
    rows.update(leased_until=clock.now())


def answer_again(row: FacilitatorSettlement, what: Asked, network: str) -> SettlementResponse | None:
    """What somebody hears who asks for a payment that has a row. None: nothing is decided yet, or it may try again."""
    is_same = what == Asked(row.payload_hash, row.requirements_hash, row.resource_url, row.api_key_id)
    if row.state == State.FAILED:
        return None if row.payload_hash == what.payload_hash else _refused(row, network, "")
    if row.state == State.WORKING:
        hash = hash_of(row)
        if not hash:
            return None
        return pending(row.payer, network, hash) if is_same else _refused(row, network, hash)
    fresh = row.ended_at is not None and clock.now() - row.ended_at <= ANSWERED_AGAIN
    if row.state == State.SETTLED and is_same and fresh:
        return settled(row.payer, network, row.transaction, row.units)
    return _refused(row, network, row.transaction)


def hash_of(row: FacilitatorSettlement) -> str:
    """The hash of the transaction that is under way; empty while there is none."""
    attempt = SettlementAttempt.objects.filter(settlement=row, state=SettlementAttempt.State.OPEN).first()
    return "" if attempt is None else attempt.hash


def settled(payer: str, network: str, hash: str, units: int) -> SettlementResponse:
    return SettlementResponse(success=True, payer=payer, transaction=hash, network=network, amount=str(units))


def pending(payer: str, network: str, hash: str) -> SettlementResponse:
    """It left and is not final. The hash is what to ask for."""
    return failure(reasons.PENDING, "the transaction is under way", payer=payer, network=network, hash=hash)


def failure(
    reason: str,
    message: str = "",
    *,
    payer: str | None,
    network: str,
    hash: str = "",
    extra: Mapping[str, Any] | None = None,
) -> SettlementResponse:
    return SettlementResponse(
        success=False,
        error_reason=reason,
        error_message=message or None,
        payer=payer,
        transaction=hash,
        network=network,
        extra=dict(extra) if extra else None,
    )


def _refused(row: FacilitatorSettlement, network: str, hash: str) -> SettlementResponse:
    message = "the payment was used already, or for another request"
    return failure(reasons.INVALID_STATE, message, payer=row.payer, network=network, hash=hash)


def _digest(document: Any) -> str:
    text = json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()
