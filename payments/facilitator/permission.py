"""Who may have something settled: settling spends our lumens (design: facilitator, Who may settle)."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings

from bazaar.models import SellerAddress
from lensproject.core import clock
from lensproject.core.callers import FACILITATOR, Caller
from lensproject.core.errors import PermissionDenied, Unauthenticated
from lensproject.core.stellar.networks import PUBNET
from lensproject.core.x402.wire import PaymentRequirements
from payments.authentication.accounts import Account
from payments.models import ApiKey, SettlementAttempt

FAILURES = 3
FAILURES_WITHIN = timedelta(hours=1)


def is_open(network: str) -> bool:
    """Whether the setting lifts the need for a key. It never does on mainnet."""
    lens = settings.LENS
    return lens.facilitator_open and network != PUBNET


def check_caller(caller: Caller, requirements: PaymentRequirements) -> int | None:
    """The row of the caller's key, or None where none is needed. Raises Unauthenticated and PermissionDenied."""
    if caller.is_anonymous:
        if is_open(requirements.network):
            return None
        raise Unauthenticated("Settling needs an API key.", details={"scope": FACILITATOR})
    caller.require(FACILITATOR)
    if requirements.network not in caller.networks:
        details = {"network": requirements.network[:64]}
        raise PermissionDenied("The key is not for this network.", details=details)
    if not _may_be_paid(caller, requirements):
        details = {"payTo": requirements.pay_to[:80]}
        raise PermissionDenied("The key's seller has not proved this payTo address.", details=details)
    return ApiKey.objects.values_list("pk", flat=True).get(key_id=caller.key_id)


def too_many_failures(payer: str, pay_to: str) -> bool:
    """Whether transactions for this payer, or to this payTo, failed on chain three times within an hour."""
    failed = SettlementAttempt.objects.filter(
        state=SettlementAttempt.State.FAILED, ended_at__gt=clock.now() - FAILURES_WITHIN
    )
    of_payer = failed.filter(settlement__payer=payer)[:FAILURES]
    of_payee = failed.filter(settlement__pay_to=pay_to)[:FAILURES]
    return len(of_payer) >= FAILURES or len(of_payee) >= FAILURES


def _may_be_paid(caller: Caller, requirements: PaymentRequirements) -> bool:
    if not isinstance(caller.account, Account) or caller.account.seller_id is None:
        return False
    return SellerAddress.objects.filter(
        seller_id=caller.account.seller_id,
        network__name=requirements.network,
        address=requirements.pay_to,
        proved_at__isnull=False,
    ).exists()
