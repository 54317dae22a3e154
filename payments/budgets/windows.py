"""The windows of a budget: `[starts_at, ends_at)` in UTC, labelled by the calendar of the budget's zone.

A day may have 23 or 25 hours, and some zones skip midnight; minute and hour are UTC whatever the zone.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from lensproject.core import zones
from payments.models import Budget

Window = Budget.Window


@dataclass(frozen=True)
class Span:
    """A window of time. `total` has neither start nor end."""

    label: str
    starts_at: datetime | None
    ends_at: datetime | None


def span(window: str, zone: str, at: datetime) -> Span:
    """The window of this kind that the instant lies in. Raises ValueError for `call`, which has no window, and for a
    zone that is none.
    """
    if window == Window.TOTAL:
        return Span("total", None, None)
    if window in (Window.MINUTE, Window.HOUR):
        return _clock_span(window, at.astimezone(UTC))
    if window not in (Window.DAY, Window.WEEK, Window.MONTH):
        raise ValueError(f"a budget for each {window} has no window of time")
    place = zones.zone(zone)
    label, first, after = _calendar(window, at.astimezone(place).date())
    return Span(label, midnight(first, place), midnight(after, place))


def midnight(day: date, zone: ZoneInfo) -> datetime:
    """The first instant of a day in a zone, in UTC; where midnight is skipped, the instant at which the day begins."""
    at_zero = datetime(day.year, day.month, day.day, tzinfo=zone)
    both = sorted(at_zero.replace(fold=fold).astimezone(UTC) for fold in (0, 1))
    return next(instant for instant in both if instant.astimezone(zone).date() >= day)


def _clock_span(window: str, at: datetime) -> Span:
    if window == Window.MINUTE:
        start = at.replace(second=0, microsecond=0)
        return Span(f"{start:%Y-%m-%dT%H:%MZ}", start, start + timedelta(minutes=1))
    start = at.replace(minute=0, second=0, microsecond=0)
    return Span(f"{start:%Y-%m-%dT%HZ}", start, start + timedelta(hours=1))


def _calendar(window: str, day: date) -> tuple[str, date, date]:
    """Label, first day, and the day after the last."""
    if window == Window.DAY:
        return day.isoformat(), day, day + timedelta(days=1)
    if window == Window.WEEK:
        monday = day - timedelta(days=day.weekday())
        year, week, _ = day.isocalendar()
        return f"{year}-W{week:02d}", monday, monday + timedelta(days=7)
    first = day.replace(day=1)
    return f"{first:%Y-%m}", first, (first + timedelta(days=32)).replace(day=1)
