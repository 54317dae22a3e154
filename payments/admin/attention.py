"""Rows that want to be looked at: one definition for the list's filter and for the dashboard's number."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import F, Q, QuerySet

from payments.models import ApiKey, BudgetWindow

SOON = timedelta(days=14)


def open_windows(at: datetime) -> QuerySet[BudgetWindow]:
    return BudgetWindow.objects.filter(is_open(at))


def spent_in(at: datetime) -> QuerySet[BudgetWindow]:
    """Open windows in which something was spent or is held."""
    return open_windows(at).filter(is_spent())


def nearly_used_up(at: datetime) -> QuerySet[BudgetWindow]:
    """Open windows with more than 80 % spent or held."""
    return open_windows(at).filter(is_nearly_used_up())


def is_open(at: datetime) -> Q:
    """Windows that the instant lies in; one for good has no end."""
    return Q(ends_at__isnull=True) | Q(ends_at__gt=at)


def is_spent() -> Q:
    return Q(spent__gt=0) | Q(held__gt=0)


def is_nearly_used_up() -> Q:
    """More than four fifths taken. Written with a fifth of the limit, because five times an amount can pass 2^63."""
    return Q(limit__gt=0, spent__gte=F("limit") - F("held") - (F("limit") - 1) / 5)


def expiring_keys(at: datetime) -> QuerySet[ApiKey]:
    """Keys that work now and stop within two weeks."""
    return ApiKey.objects.filter(revoked_at__isnull=True, expires_at__gt=at, expires_at__lte=at + SOON)
