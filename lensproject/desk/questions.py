"""What the dashboard asks, number by number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Model, QuerySet

from bazaar.models import Asset, CatalogEntry, Market, Network, Pair, Seller, Venue
from payments.admin.attention import expiring_keys, nearly_used_up, spent_in
from payments.models import Agent


@dataclass(frozen=True)
class Number:
    """A count of rows, and the list that shows them: its page, its filters, and who may look."""

    label: str
    page: str
    query: str
    rows: Callable[[datetime], QuerySet[Any]]
    alarming: bool = True

    @property
    def permission(self) -> str:
        app, _, model = self.page.partition("_")
        return f"{app}.view_{model}"


def _number(label: str, model: type[Model], *, alarming: bool = True, **lookups: Any) -> Number:
    """The rows of a model with these values, and the list filtered by the same."""
    page = f"{model._meta.app_label}_{model._meta.model_name}"
    query = "&".join(
        f"{name}__exact={int(value) if isinstance(value, bool) else value}" for name, value in lookups.items()
    )
    return Number(label, page, query, lambda at: model._default_manager.filter(**lookups), alarming)


QUESTIONS: tuple[tuple[str, tuple[Number, ...]], ...] = (
    (
        "Is money moving?",
        (
            Number(
                "Open windows with spending", "payments_budgetwindow", "time=now&use=spent", spent_in, alarming=False
            ),
        ),
    ),
    (
        "Is anything failing?",
        (
            Number(
                "Markets whose last reading failed",
                "bazaar_market",
                "reading=failed",
                lambda at: Market.objects.exclude(last_error=""),
            ),
        ),
    ),
    (
        "What is about to run out?",
        (
            Number("Windows used to more than 80 %", "payments_budgetwindow", "time=now&use=80", nearly_used_up),
            Number("Keys that expire within two weeks", "payments_apikey", "life=expiring", expiring_keys),
        ),
    ),
    (
        "What needs a person?",
        (
            _number("Paused agents", Agent, state="paused"),
            _number("Paused sellers", Seller, state="paused"),
            _number("Entries in draft", CatalogEntry, state="draft", alarming=False),
            _number("Disabled networks", Network, enabled=False, alarming=False),
            _number("Disabled pairs", Pair, enabled=False),
            _number("Disabled venues", Venue, enabled=False),
            _number("Assets off the list", Asset, enabled=False, alarming=False),
        ),
    ),
)
