"""Leasing a source account: one transaction of an account is under way at a time. Steps on the database."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import Exists, F, OuterRef, Q

from lensproject.core import clock
from payments.models import SettlementAttempt, SourceAccount

LEASE = timedelta(seconds=30)
"""How long a lease lasts until its transaction is stored. From then on the open transaction keeps the account."""


def lease(network: str, holder: str) -> SourceAccount | None:
    """A free account, the longest unused first, now held by `holder`; None when all are busy."""
    now = clock.now()
    busy = SettlementAttempt.objects.filter(source_account=OuterRef("pk"), state=SettlementAttempt.State.OPEN)
    free = SourceAccount.objects.filter(
        Q(holder="") | Q(leased_until__lte=now),
        ~Exists(busy),
        network__name=network,
        state=SourceAccount.State.ACTIVE,
    )
    # Looking first spares SQLite the write lock while all are busy.
    for account in free.order_by(F("used_at").asc(nulls_first=True), "pk"):
        if free.filter(pk=account.pk).update(holder=holder, leased_until=now + LEASE, used_at=now):
            return account
    return None


def release(account: int, holder: str) -> None:
    """Give an account back from which nothing was sent."""
    SourceAccount.objects.filter(pk=account, holder=holder).update(holder="", leased_until=None)


def set_aside(account: int, holder: str) -> None:
    """Take an account out of use that has too little left for fees. Whoever funds it makes it active again."""
    mine = SourceAccount.objects.filter(pk=account, holder=holder)
    mine.update(holder="", leased_until=None, state=SourceAccount.State.LOW)


def any_active(network: str) -> bool:
    return SourceAccount.objects.filter(network__name=network, state=SourceAccount.State.ACTIVE).exists()
