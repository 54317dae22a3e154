"""Budgets made, raised, lowered and closed by people. What a budget is about never changes; its limit does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Greatest

from lensproject.core import clock, curation, zones
from lensproject.core.amounts import Amount
from payments.models import Budget, BudgetWindow

if TYPE_CHECKING:
    from django.contrib.auth.models import User

State = Budget.State
_TAKEN = F("spent") + F("held")


def create_budget(values: Mapping[str, Any], *, by: User | None, reason: str) -> Budget:
    """A new budget; it holds from now on. Its windows are made when the first payment in each is reserved."""
    budget = Budget(**values)
    try:
        zones.zone(budget.zone)
    except ValueError:
        raise ValidationError({"zone": f"{budget.zone} is no time zone; write one such as Europe/Berlin."}) from None
    return curation.create(budget, by=by, reason=reason)


def raise_limit(budget: Budget, units: int, *, row_version: int, by: User | None, reason: str) -> Budget:
    """A higher limit holds at once, in the open windows too. Raises ValidationError when it is not higher.

    A window that was full when the limit was lowered may hold more than the new limit too; it stays full.
    """
    if units <= budget.limit:
        raise ValidationError({"limit": f"This is not above the limit of {_text(budget, budget.limit)}."})
    with transaction.atomic():
        raised = _set_limit(budget, units, row_version, by, reason)
        _open_windows(budget).update(limit=Greatest(_TAKEN, units))
    return raised


def lower_limit(
    budget: Budget, units: int, *, row_version: int, by: User | None, reason: str, accept_full_window: bool = False
) -> Budget:
    """A lower limit holds at once where there is room for it.

    Under what an open window has spent and holds it is refused with the numbers, unless that is accepted: then that
    window admits nothing more, and the new limit holds from the next one. No window is ever overdrawn by it.
    """
    if units >= budget.limit:
        raise ValidationError({"limit": f"This is not below the limit of {_text(budget, budget.limit)}."})
    with transaction.atomic():
        lowered = _set_limit(budget, units, row_version, by, reason)
        windows = _open_windows(budget)
        if accept_full_window:
            windows.update(limit=Greatest(_TAKEN, units))
            return lowered
        windows.filter(held__lte=units - F("spent")).update(limit=units)
        tight = windows.filter(limit__gt=units).annotate(taken=_TAKEN).order_by("-taken").first()
        if tight is not None:
            raise ValidationError({"limit": ValidationError(_too_low(budget, tight, tight.taken), code="below_spent")})
    return lowered


def close_budget(budget: Budget, *, row_version: int, by: User | None, reason: str) -> Budget:
    """End a budget: it allows nothing from now on. What its windows hold is settled or freed as if it were open."""
    return curation.revise(budget, {"state": State.CLOSED}, row_version=row_version, by=by, reason=reason)


def _set_limit(budget: Budget, units: int, row_version: int, by: User | None, reason: str) -> Budget:
    if budget.state != State.ACTIVE:
        raise ValidationError("This budget is closed; make a new one.", code="closed")
    return curation.revise(budget, {"limit": units}, row_version=row_version, by=by, reason=reason)


def _open_windows(budget: Budget) -> Any:
    return BudgetWindow.objects.filter(Q(ends_at__isnull=True) | Q(ends_at__gt=clock.now()), budget=budget)


def _too_low(budget: Budget, window: BudgetWindow, taken: int) -> str:
    return (
        f"In the open window {window.label} {_text(budget, window.spent)} is spent and {_text(budget, window.held)} "
        f"is held, so its limit cannot be under {_text(budget, taken)}."
    )


def _text(budget: Budget, units: int) -> str:
    return f"{Amount(units, budget.asset.decimals).short()} {budget.asset.code}"
