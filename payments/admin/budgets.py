"""Budgets: limits on spending, with how much of each is used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import F, OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django.utils.safestring import SafeString

from lensproject.core import clock
from lensproject.core.admin import CuratedAdmin, CuratedForm
from lensproject.core.admin.display import amount, badge, bar
from lensproject.core.admin.links import related_list
from payments.admin.attention import open_windows
from payments.admin.limit_changes import CloseBudget, LowerLimit, RaiseLimit
from payments.budgets.limits import create_budget
from payments.models import Budget, BudgetWindow


class BudgetForm(CuratedForm):
    amounts: ClassVar[Mapping[str, str]] = {"limit": "asset"}


@admin.register(Budget)
class BudgetAdmin(CuratedAdmin[Budget]):
    """What a budget is about never changes. Its limit does, on a page that shows the effect."""

    form = BudgetForm
    create = staticmethod(create_budget)
    dangers = (RaiseLimit(), LowerLimit(), CloseBudget())
    read_as: ClassVar[Mapping[str, str]] = {"limit": "limit_shown"}
    list_display = ("holder_shown", "window", "limit_shown", "used", "state_shown")
    list_filter = ("state", "window", "cross")
    list_select_related = ("organisation", "team__organisation", "agent", "asset")
    autocomplete_fields = ("organisation", "team", "agent", "asset")
    search_fields = ("public_id__exact",)
    search_help_text = "The whole public id. For the budgets of an agent, begin at the agent's page."
    readonly_fields = ("public_id", "state_shown", "used", "windows")
    empty_hint = "No budget yet. Without one nothing is spent: add one to an agent, its team or its organisation."
    fieldsets = (
        ("Whose spending", {"fields": ("organisation", "team", "agent"), "description": "Exactly one of the three."}),
        ("How much", {"fields": ("asset", "limit", "window", "zone")}),
        ("On what", {"fields": ("cross", "cross_key")}),
        ("Now", {"fields": ("used", "windows", "state_shown", "public_id")}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Budget]:
        """With the numbers of its open window; where each seller has one, of the one with the least room."""
        of_budget = open_windows(clock.now()).filter(budget=OuterRef("pk"))
        least_room = of_budget.order_by(F("limit") - F("spent") - F("held"), "id")
        numbers = {f"open_{name}": Subquery(least_room.values(name)[:1]) for name in ("limit", "spent", "held")}
        related = ("organisation", "team__organisation", "agent", "asset")
        return super().get_queryset(request).select_related(*related).annotate(**numbers)

    def has_change_permission(self, request: HttpRequest, obj: Budget | None = None) -> bool:
        """A budget's own page only shows it; what may be changed has a page each."""
        return obj is None and super().has_change_permission(request)

    @admin.display(description="of")
    def holder_shown(self, row: Budget) -> str:
        return f"{row.scope.capitalize()} {row.holder}"

    @admin.display(description="limit")
    def limit_shown(self, row: Budget) -> SafeString | str:
        return amount(row.limit, row.asset)

    @admin.display(description="used now")
    def used(self, row: Any) -> SafeString | str:
        if row._state.adding:
            return "–"
        if row.window == Budget.Window.CALL:
            return "each call by itself"
        if row.open_limit is None:
            return bar(0, 0, row.limit, row.asset)
        return bar(row.open_spent, row.open_held, row.open_limit, row.asset)

    @admin.display(description="state", ordering="state")
    def state_shown(self, row: Budget) -> SafeString | str:
        if row._state.adding:
            return "Holds as soon as it is saved."
        return badge("Active", "good") if row.state == Budget.State.ACTIVE else badge("Closed", "quiet")

    @admin.display(description="windows")
    def windows(self, row: Budget) -> SafeString | str:
        return "–" if row._state.adding else related_list(BudgetWindow, "budget", row, "All its windows")
