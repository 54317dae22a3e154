"""Limits are raised and lowered by people; the open window follows, and is never overdrawn by it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError

from lensproject.core import clock
from lensproject.core.errors import StaleVersion
from payments.budgets.limits import close_budget, create_budget, lower_limit, raise_limit
from payments.models import Budget, BudgetWindow
from tests.builders import make_agent, make_asset, make_budget, make_budget_window

pytestmark = pytest.mark.django_db
WHY: dict[str, Any] = {"by": None, "reason": "test"}


def limits(budget: Budget) -> list[int]:
    """The budget's own limit, then those of its windows."""
    windows = BudgetWindow.objects.filter(budget=budget).order_by("pk").values_list("limit", flat=True)
    return [Budget.objects.get(pk=budget.pk).limit, *windows]


def budget_with_window(**over: Any) -> Budget:
    budget = make_budget(limit=100)
    make_budget_window(budget, **({"spent": 30, "held": 20} | over))
    return budget


def test_a_raised_limit_holds_at_once_in_the_open_window_only() -> None:
    budget = budget_with_window()
    past = clock.now() - timedelta(days=3)
    make_budget_window(budget, label="earlier", starts_at=past, ends_at=past + timedelta(days=1))
    raised = raise_limit(budget, 150, row_version=1, **WHY)
    assert raised.row_version == 2
    assert limits(budget) == [150, 150, 100]


@pytest.mark.parametrize(("units", "window"), [(11, 50), (50, 50), (51, 51)])
def test_a_raised_limit_leaves_a_window_full_that_holds_more(units: int, window: int) -> None:
    budget = budget_with_window()
    lowered = lower_limit(budget, 10, row_version=1, accept_full_window=True, **WHY)
    assert limits(budget) == [10, 50]
    raise_limit(lowered, units, row_version=2, **WHY)
    assert limits(budget) == [units, window]


def test_a_lowered_limit_holds_at_once_where_there_is_room() -> None:
    budget = budget_with_window()
    lower_limit(budget, 50, row_version=1, **WHY)
    assert limits(budget) == [50, 50]


def test_a_limit_under_what_is_taken_is_refused_with_the_numbers() -> None:
    budget = make_budget(limit=50_000_000, asset=make_asset("USDC"))
    window = make_budget_window(budget, spent=30_000_000, held=10_500_000)
    with pytest.raises(ValidationError) as refusal:
        lower_limit(budget, 40_499_999, row_version=1, **WHY)
    assert refusal.value.message_dict == {
        "limit": [
            f"In the open window {window.label} 3.00 USDC is spent and 1.05 USDC is held, "
            "so its limit cannot be under 4.05 USDC."
        ]
    }
    assert limits(budget) == [50_000_000, 50_000_000]
    assert Budget.objects.get(pk=budget.pk).row_version == 1


def test_a_full_window_is_accepted_when_somebody_says_so() -> None:
    budget = budget_with_window()
    lower_limit(budget, 10, row_version=1, accept_full_window=True, **WHY)
    assert limits(budget) == [10, 50]


def test_a_lowered_limit_frees_a_window_that_was_already_tight() -> None:
    budget = budget_with_window()
    lower_limit(budget, 10, row_version=1, accept_full_window=True, **WHY)
    raise_limit(Budget.objects.get(pk=budget.pk), 60, row_version=2, **WHY)
    assert limits(budget) == [60, 60]


def test_raising_must_raise_and_lowering_must_lower() -> None:
    budget = make_budget(limit=100)
    with pytest.raises(ValidationError, match="not above"):
        raise_limit(budget, 100, row_version=1, **WHY)
    with pytest.raises(ValidationError, match="not below"):
        lower_limit(budget, 100, row_version=1, **WHY)


def test_a_negative_limit_is_refused() -> None:
    budget = make_budget(limit=100)
    with pytest.raises(ValidationError) as refusal:
        lower_limit(budget, -1, row_version=1, **WHY)
    assert "limit" in refusal.value.message_dict
    assert limits(budget) == [100]


@pytest.mark.parametrize("change", [raise_limit, lower_limit])
def test_a_stale_change_moves_nothing(change: Any) -> None:
    budget = budget_with_window()
    raise_limit(budget, 120, row_version=1, **WHY)
    with pytest.raises(StaleVersion) as refusal:
        change(budget, 130 if change is raise_limit else 90, row_version=1, **WHY)
    assert refusal.value.details == {"rowVersion": 2}
    assert limits(budget) == [120, 120]


def test_a_closed_budget_keeps_its_limit() -> None:
    budget = close_budget(make_budget(limit=100), row_version=1, **WHY)
    assert budget.state == "closed"
    with pytest.raises(ValidationError, match="closed"):
        raise_limit(budget, 200, row_version=2, **WHY)
    assert limits(budget) == [100]


@pytest.mark.parametrize("zone", ["Mars/Olympus", "Europe", "localtime", "a\0b"])
def test_an_unknown_zone_is_refused(zone: str) -> None:
    with pytest.raises(ValidationError) as refusal:
        create_budget({"agent": make_agent(), "asset": make_asset(), "limit": 1, "zone": zone}, by=None, reason="test")
    assert refusal.value.message_dict == {"zone": [f"{zone} is no time zone; write one such as Europe/Berlin."]}
    assert not Budget.objects.exists()


def test_each_change_is_in_the_history_with_its_reason() -> None:
    budget = make_budget(limit=100)
    raise_limit(budget, 150, row_version=1, by=None, reason="campaign")
    history: Any = Budget.objects.get(pk=budget.pk)
    lines = [(line.limit, line.history_change_reason) for line in history.history.order_by("history_id")]
    assert lines == [(100, "test"), (150, "campaign")]
