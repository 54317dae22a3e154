"""Where the limits above an agent stand now: each budget with its open window, or with none while nothing was paid."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import F, QuerySet

from payments.budgets.windows import Span, span
from payments.models import Agent, Budget, BudgetWindow
from payments.models.scopes import SCOPES, above

Window = Budget.Window
EACH = (Budget.Cross.EACH_SELLER, Budget.Cross.EACH_ORIGIN, Budget.Cross.EACH_TOOL)
MOST_OF_EACH = 50
_NEAREST_FIRST = tuple(reversed(SCOPES))


@dataclass(frozen=True)
class Standing:
    """A budget in its window of now; `window` is the row, None while no payment has made it."""

    budget: Budget
    resets_at: datetime | None
    window: BudgetWindow | None = None

    @property
    def limit(self) -> int:
        """The window's own limit, which a lowered budget does not cut under what is spent and held."""
        limit: int = (self.window or self.budget).limit
        return limit

    @property
    def spent(self) -> int:
        return 0 if self.window is None else self.window.spent

    @property
    def held(self) -> int:
        return 0 if self.window is None else self.window.held

    @property
    def remaining(self) -> int:
        return self.limit - self.spent - self.held

    @property
    def is_counted(self) -> bool:
        """Whether spent and held mean something: not per call, and not of “each” seller when none is named."""
        return self.budget.window != Window.CALL and (self.budget.cross not in EACH or self.window is not None)

    @property
    def is_part(self) -> bool:
        """Whether it is what one seller, origin or tool has of a limit of each."""
        return self.budget.cross in EACH and self.window is not None

    @property
    def is_general(self) -> bool:
        """Whether it binds whatever is bought, wherever."""
        return self.budget.cross == Budget.Cross.NONE


def standings(agent: Agent, networks: Collection[str], at: datetime) -> list[Standing]:
    """The active budgets above the agent on these networks: its own first, then by asset, window and age.

    A limit of each seller (origin, tool) is followed by those that were paid in the window, 50 with the least room.
    """
    rows = Budget.objects.filter(above(agent), state=Budget.State.ACTIVE, asset__network__name__in=networks)
    budgets = sorted(rows.select_related("organisation", "team__organisation", "agent", "asset__network"), key=_order)
    spans = {budget.pk: span(budget.window, budget.zone, at) for budget in budgets if budget.window != Window.CALL}
    windows = _open_windows([budget for budget in budgets if budget.pk in spans and budget.cross not in EACH], spans)
    found: list[Standing] = []
    for budget in budgets:
        now = spans.get(budget.pk)
        found.append(Standing(budget, now.ends_at if now else None, windows.get(budget.pk)))
        if now is not None and budget.cross in EACH:
            found += [Standing(budget, now.ends_at, window) for window in _fullest(budget, now)]
    return found


def _open_windows(budgets: Sequence[Budget], spans: Mapping[int, Span]) -> dict[int, BudgetWindow]:
    labels = {spans[budget.pk].label for budget in budgets}
    rows = BudgetWindow.objects.filter(budget__in=budgets, label__in=labels)
    return {row.budget_id: row for row in rows if row.label == spans[row.budget_id].label}


def _fullest(budget: Budget, now: Span) -> QuerySet[BudgetWindow]:
    windows = budget.windows.filter(label=now.label)
    return windows.order_by(F("limit") - F("spent") - F("held"), "cross_key")[:MOST_OF_EACH]


def _order(budget: Budget) -> tuple[int, str, str, int, int]:
    window = list(Window).index(Window(budget.window))
    return _NEAREST_FIRST.index(budget.scope), budget.asset.network.name, budget.asset.code, window, budget.pk
