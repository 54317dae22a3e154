"""Budget windows: what is spent and held in each. The platform writes them."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from lensproject.core import clock
from lensproject.core.admin import ReadOnlyAdmin
from lensproject.core.admin.display import amount, bar, moment
from lensproject.core.admin.filters import WhenFilter
from payments.admin.attention import is_nearly_used_up, is_open, is_spent
from payments.models import BudgetWindow


class WindowTime(WhenFilter):
    """Which windows: those that are open, which is what is shown when nothing is chosen, or those that ended then."""

    parameter_name = "time"
    field = "ends_at"
    preset = "now"
    presets = (("now", "Open now"), *WhenFilter.presets)

    def narrow(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(is_open(clock.now())) if self.chosen == "now" else super().narrow(queryset)


class UseFilter(admin.SimpleListFilter):
    title = "use"
    parameter_name = "use"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Any:
        return (("spent", "Something spent or held"), ("80", "More than 80 % used"), ("none", "Nothing yet"))

    def queryset(self, request: HttpRequest, queryset: QuerySet[BudgetWindow]) -> QuerySet[BudgetWindow]:
        wanted = {"spent": is_spent(), "80": is_nearly_used_up(), "none": ~is_spent()}
        return queryset.filter(wanted.get(self.value() or "", Q()))


@admin.register(BudgetWindow)
class BudgetWindowAdmin(ReadOnlyAdmin[BudgetWindow]):
    """One budget in one window of time. `limit` is the window's own."""

    list_display = ("label", "budget", "used", "cross_key", "ends")
    list_filter = (WindowTime, UseFilter)
    list_select_related = (
        "budget__organisation",
        "budget__team__organisation",
        "budget__agent",
        "budget__asset",
    )
    search_fields = ("budget__public_id__exact", "label__exact")
    search_help_text = "The whole public id of the budget, or a label such as 2026-11-30 or 2026-W48."
    empty_hint = "No window yet: one is made when the first payment of a budget is reserved in it."
    fieldsets = (
        (None, {"fields": ("budget", "label", "cross_key", "used")}),
        ("Amounts", {"fields": ("limit_shown", "spent_shown", "held_shown", "room")}),
        ("Time", {"fields": ("starts", "ends")}),
    )

    @admin.display(description="used")
    def used(self, row: BudgetWindow) -> SafeString:
        return bar(row.spent, row.held, row.limit, row.budget.asset)

    @admin.display(description="limit")
    def limit_shown(self, row: BudgetWindow) -> SafeString | str:
        return amount(row.limit, row.budget.asset)

    @admin.display(description="spent")
    def spent_shown(self, row: BudgetWindow) -> SafeString | str:
        return amount(row.spent, row.budget.asset)

    @admin.display(description="held")
    def held_shown(self, row: BudgetWindow) -> SafeString | str:
        return amount(row.held, row.budget.asset)

    @admin.display(description="room left")
    def room(self, row: BudgetWindow) -> SafeString | str:
        return amount(row.limit - row.spent - row.held, row.budget.asset)

    @admin.display(description="starts")
    def starts(self, row: BudgetWindow) -> SafeString | str:
        return moment(row.starts_at)

    @admin.display(description="ends", ordering="ends_at")
    def ends(self, row: BudgetWindow) -> SafeString | str:
        return "never" if row.ends_at is None else moment(row.ends_at)
