"""Budgets, and the windows in which they are spent."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from bazaar.models import Asset
from lensproject.core import triggers
from lensproject.core.amounts import MAX_UNITS, UnitsField
from lensproject.core.ids import public_id
from lensproject.core.models import Curated
from payments.models.scopes import Scoped, exactly_one_scope


def budget_id() -> str:
    return public_id("budget")


class Budget(Scoped, Curated):
    """A limit on spending in one asset: of an organisation, team or agent, per call or per window of time.

    A cross narrows it to one seller, origin or tool (`cross_key` names it), or gives each of them a limit of its own.
    Zone and kind of window never change: make a new budget.
    """

    class Window(models.TextChoices):
        CALL = "call", "Each call"
        MINUTE = "minute", "Minute (UTC)"
        HOUR = "hour", "Hour (UTC)"
        DAY = "day", "Day"
        WEEK = "week", "Week from Monday"
        MONTH = "month", "Month"
        TOTAL = "total", "Once and for all"

    class Cross(models.TextChoices):
        NONE = "none", "Everything"
        SELLER = "seller", "One seller"
        ORIGIN = "origin", "One origin"
        TOOL = "tool", "One tool"
        EACH_SELLER = "each_seller", "Each seller"
        EACH_ORIGIN = "each_origin", "Each origin"
        EACH_TOOL = "each_tool", "Each tool"

    class State(models.TextChoices):
        ACTIVE = "active", "Active"
        CLOSED = "closed", "Closed"

    public_id = models.CharField(max_length=48, unique=True, default=budget_id, editable=False)
    asset = models.ForeignKey(Asset, on_delete=models.PROTECT, related_name="+")
    window = models.CharField(max_length=6, choices=Window.choices, default=Window.DAY)
    limit = UnitsField("limit (units)")
    zone = models.CharField(max_length=64, default="UTC", help_text="Zone of days, weeks and months: Europe/Berlin.")
    cross = models.CharField(max_length=11, choices=Cross.choices, default=Cross.NONE)
    cross_key = models.CharField(max_length=300, blank=True)
    state = models.CharField(max_length=6, choices=State.choices, default=State.ACTIVE)

    class Meta:
        ordering = ("-id",)
        permissions = (("raise_budget", "Can raise the limit of a budget"),)
        constraints = (
            models.CheckConstraint(
                condition=exactly_one_scope(),
                name="budget_of_exactly_one_scope",
                violation_error_message="A budget belongs to exactly one organisation, team or agent.",
            ),
            models.CheckConstraint(
                condition=Q(limit__gte=0, limit__lte=MAX_UNITS),
                name="budget_limit_not_negative",
                violation_error_message="A limit is never negative.",
            ),
            models.CheckConstraint(
                condition=Q(window__in=("call", "minute", "hour", "day", "week", "month", "total")),
                name="budget_window_known",
            ),
            models.CheckConstraint(condition=Q(state__in=("active", "closed")), name="budget_state_known"),
            models.CheckConstraint(condition=~Q(zone=""), name="budget_zone_given"),
            models.CheckConstraint(
                condition=(Q(cross__in=("seller", "origin", "tool")) & ~Q(cross_key=""))
                | Q(cross__in=("none", "each_seller", "each_origin", "each_tool"), cross_key=""),
                name="budget_cross_key_fits_cross",
                violation_error_message="One seller, origin or tool is named; “each” and “everything” name none.",
            ),
        )

    def __str__(self) -> str:
        return f"{self.get_window_display()} budget of {self.holder} in {self.asset.code}"


class BudgetWindow(models.Model):
    """One budget in one window: what may be spent in it, what is spent, and what open payments hold.

    `[starts_at, ends_at)` in UTC, labelled in the budget's zone (`2026-11-30`, `2026-W48`, `2026-11`). `limit` is the
    window's own.
    """

    budget = models.ForeignKey(Budget, on_delete=models.PROTECT, related_name="windows")
    label = models.CharField(max_length=32)
    cross_key = models.CharField(max_length=300, blank=True)
    limit = UnitsField("limit (units)")
    spent = UnitsField("spent (units)", default=0)
    held = UnitsField("held (units)", default=0)
    starts_at = models.DateTimeField(null=True, blank=True)
    ends_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-id",)
        constraints = (
            models.UniqueConstraint(fields=("budget", "label", "cross_key"), name="budget_window_once"),
            models.CheckConstraint(condition=Q(spent__gte=0), name="budget_window_spent_not_negative"),
            models.CheckConstraint(condition=Q(held__gte=0), name="budget_window_held_not_negative"),
            # A difference, because a sum can pass 2^63.
            models.CheckConstraint(condition=Q(held__lte=F("limit") - F("spent")), name="budget_window_within_limit"),
            models.CheckConstraint(
                condition=Q(ends_at__isnull=True) | Q(starts_at__lt=F("ends_at")), name="budget_window_not_empty"
            ),
            models.CheckConstraint(condition=~Q(label=""), name="budget_window_label_given"),
        )
        indexes = (
            # For the desk: what is open now, of all budgets and of one.
            models.Index(fields=("ends_at",), name="budget_window_by_end"),
            models.Index(fields=("budget", "ends_at"), name="budget_window_of_by_end"),
        )

    def __str__(self) -> str:
        return f"{self.label} of {self.budget}"


triggers.immutable(
    "budget_shape_fixed",
    "payments_budget",
    ("organisation_id", "team_id", "agent_id", "asset_id", "window", "zone", "cross", "cross_key"),
    message="whose budget it is, its asset, window, zone and cross never change; make a new one",
)
triggers.immutable(
    "budget_window_shape_fixed",
    "payments_budgetwindow",
    ("budget_id", "label", "cross_key", "starts_at", "ends_at"),
    message="a window stays what it was made as",
)
