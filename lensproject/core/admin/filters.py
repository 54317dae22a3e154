"""Filters of lists: by state and by presets of time. Never by a foreign key and never by free text."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import PAGE_VAR, ChangeList
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from lensproject.core import clock


class WhenFilter(admin.SimpleListFilter):
    """Presets, and `from` and `until` as days: half-open ranges in the operator's zone on one column."""

    title = "time"
    template = "desk/when_filter.html"
    field: ClassVar[str]
    presets: ClassVar[tuple[tuple[str, str], ...]] = (
        ("all", "Any time"),
        ("today", "Today"),
        ("7d", "Last 7 days"),
        ("30d", "Last 30 days"),
        ("month", "This month"),
    )
    preset: ClassVar[str] = "all"
    """What is shown when nothing is chosen."""

    def __init__(self, request: HttpRequest, params: dict[str, Any], model: Any, model_admin: Any) -> None:
        self.days = [_last(params.pop(f"{self.parameter_name}_{edge}", [])) for edge in ("from", "until")]
        super().__init__(request, params, model, model_admin)

    def lookups(self, request: HttpRequest, model_admin: Any) -> Any:
        return self.presets

    def expected_parameters(self) -> list[str | None]:
        return [self.parameter_name, *(f"{self.parameter_name}_{edge}" for edge in ("from", "until"))]

    @property
    def chosen(self) -> str:
        """The preset in force; empty when days were chosen."""
        return "" if any(self.days) else self.value() or self.preset

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return self.narrow(queryset)

    def narrow(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The rows of the chosen time."""
        start, end = (_day(self.days[0], 0), _day(self.days[1], 1)) if any(self.days) else (_start(self.chosen), None)
        if start is not None:
            queryset = queryset.filter(**{f"{self.field}__gte": start})
        return queryset if end is None else queryset.filter(**{f"{self.field}__lt": end})

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        days = [f"{self.parameter_name}_{edge}" for edge in ("from", "until")]
        for preset, title in self.presets:
            query = changelist.get_query_string({self.parameter_name or "": preset}, days)
            yield {"selected": self.chosen == preset, "query_string": query, "display": title}

    @property
    def day_fields(self) -> list[tuple[str, str, str]]:
        """Name, label and value of the two day inputs."""
        labels = zip(("from", "until"), ("From", "Until and with"), self.days, strict=True)
        return [(f"{self.parameter_name}_{edge}", label, value) for edge, label, value in labels]

    @property
    def kept(self) -> list[tuple[str, str]]:
        """The rest of the query, to be sent along with the days."""
        mine = (*filter(None, self.expected_parameters()), PAGE_VAR)
        return [(name, str(value)) for name, value in self.request.GET.items() if name not in mine]

    def chip(self, changelist: ChangeList) -> tuple[str, str] | None:
        """What narrows the list although nobody asked for it, and the link that takes it off."""
        if self.value() is not None or any(self.days) or self.preset == "all":
            return None
        return dict(self.presets)[self.preset], changelist.get_query_string({self.parameter_name or "": "all"})


def _last(values: Any) -> str:
    return str(values[-1]) if values else ""


def _start(preset: str) -> datetime | None:
    today = timezone.localtime(clock.now()).replace(hour=0, minute=0, second=0, microsecond=0)
    if preset == "all":
        return None
    known = {"today": today, "month": today.replace(day=1)}
    if preset in ("7d", "30d"):
        return today - timedelta(days=int(preset[:-1]) - 1)
    if preset not in known:
        raise IncorrectLookupParameters(f"{preset} is no preset")
    return known[preset]


def _day(text: str, later: int) -> datetime | None:
    """The first instant of a day (or of the one after it) in the operator's zone."""
    if not text:
        return None
    try:
        day = datetime.strptime(text, "%Y-%m-%d") + timedelta(days=later)  # noqa: DTZ007
        return timezone.make_aware(day)
    except (ValueError, OverflowError) as error:
        raise IncorrectLookupParameters(str(error)) from None
