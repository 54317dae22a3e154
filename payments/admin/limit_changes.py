"""Raising and lowering a budget's limit, and closing it: each shows its effect first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from lensproject.core import clock
from lensproject.core.admin import Danger, Fact, ReasonForm
from lensproject.core.admin.display import amount_text
from lensproject.core.admin.forms import AmountInput, Refused
from payments.admin.attention import open_windows
from payments.budgets.limits import close_budget, lower_limit, raise_limit
from payments.models import Budget, BudgetWindow

MOST_WINDOWS = 5


class NewLimit(forms.Form):
    """The limit that is wanted, in the budget's asset."""

    limit = AmountInput(label="New limit")

    def __init__(self, budget: Budget, data: Mapping[str, Any] | None) -> None:
        super().__init__(data)
        field = self.fields["limit"]
        if isinstance(field, AmountInput):
            field.of(budget.asset, None)
            field.help_text = f"In {budget.asset.code}, such as 12.5. Now {amount_text(budget.limit, budget.asset)}."


class LimitChange(Danger[Budget]):
    def unavailable(self, row: Budget) -> str | None:
        return None if row.state == Budget.State.ACTIVE else "it is closed"

    def question(self, row: Budget, data: Mapping[str, Any] | None) -> forms.Form:
        return NewLimit(row, data)

    def effect(self, row: Budget, answers: Mapping[str, Any]) -> Sequence[Fact]:
        units = answers["limit"]
        limit = Fact("Limit", amount_text(row.limit, row.asset), f"{amount_text(units, row.asset)} ({units} units)")
        return (limit, *(_room(row, window, units) for window in fullest_windows(row)))


class RaiseLimit(LimitChange):
    slug, label, done = "raise", "Raise the limit", "raised"
    permission = "payments.raise_budget"

    def act(self, row: Budget, answers: Mapping[str, Any], *, row_version: int, by: Any, reason: str) -> Any:
        return raise_limit(row, answers["limit"], row_version=row_version, by=by, reason=reason)


class LowerForm(ReasonForm):
    """Shown when the open window has no room for the new limit."""

    accept_full_window = forms.BooleanField(
        required=False,
        widget=forms.HiddenInput,
        label="Lower it all the same: the open window admits nothing more, the new limit holds from the next one",
    )


class LowerLimit(LimitChange):
    slug, label, done = "lower", "Lower the limit", "lowered"
    permission = "payments.change_budget"
    confirmation = LowerForm

    def act(self, row: Budget, answers: Mapping[str, Any], *, row_version: int, by: Any, reason: str) -> Any:
        accepted = answers["accept_full_window"]
        said = {"row_version": row_version, "by": by, "reason": reason}
        return lower_limit(row, answers["limit"], accept_full_window=accepted, **said)

    def after_refusal(self, form: ReasonForm, row: Budget, refused: Refused) -> None:
        """Under what is spent and held: what may be done instead is a box to tick, beside the numbers."""
        if isinstance(refused, ValidationError) and "below_spent" in _codes(refused):
            form.fields["accept_full_window"].widget = forms.CheckboxInput()


class CloseBudget(Danger[Budget]):
    slug, label, done = "close", "Close", "closed"
    permission = "payments.change_budget"

    def unavailable(self, row: Budget) -> str | None:
        return None if row.state == Budget.State.ACTIVE else "it is closed already"

    def effect(self, row: Budget, answers: Mapping[str, Any]) -> Sequence[Fact]:
        state = Fact("State", row.get_state_display(), "Closed, for good")
        return (state, *(_room(row, window, window.spent + window.held) for window in fullest_windows(row)))

    def act(self, row: Budget, answers: Mapping[str, Any], *, row_version: int, by: Any, reason: str) -> Any:
        return close_budget(row, row_version=row_version, by=by, reason=reason)


def fullest_windows(budget: Budget) -> list[BudgetWindow]:
    """The open windows with the most spent, at most five."""
    return list(open_windows(clock.now()).filter(budget=budget).order_by("-spent", "-held", "id")[:MOST_WINDOWS])


def _room(budget: Budget, window: BudgetWindow, limit: int) -> Fact:
    taken = window.spent + window.held
    asset = budget.asset
    now = f"{amount_text(window.spent, asset)} spent, {amount_text(window.held, asset)} held"
    room = amount_text(window.limit - taken, asset)
    then = "full: admits nothing more" if limit <= taken else f"room for {amount_text(limit - taken, asset)}"
    where = f" for {window.cross_key}" if window.cross_key else ""
    return Fact(f"Open window {window.label}{where}", f"{now}, room for {room}", then)


def _codes(error: ValidationError) -> set[str | None]:
    """The codes of all that was found wrong."""
    groups = error.error_dict.values() if hasattr(error, "error_dict") else [error.error_list]
    return {single.code for group in groups for single in group}
