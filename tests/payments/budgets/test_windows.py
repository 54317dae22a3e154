"""Windows by the calendar of a zone, with days of 23 and 25 hours and a midnight that is skipped."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from payments.budgets.windows import midnight, span


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("window", "zone", "at", "label", "starts", "ends"),
    [
        ("minute", "Asia/Tokyo", "2026-11-30T20:24:34", "2026-11-30T20:24Z", "2026-11-30T20:24", "2026-11-30T20:25"),
        ("hour", "Asia/Kolkata", "2026-11-30T20:24:34", "2026-11-30T20Z", "2026-11-30T20:00", "2026-11-30T21:00"),
        ("day", "UTC", "2026-11-30T23:59:59", "2026-11-30", "2026-11-30T00:00", "2026-12-01T00:00"),
        ("day", "Europe/Berlin", "2026-11-30T23:30", "2026-12-01", "2026-11-30T23:00", "2026-12-01T23:00"),
        ("day", "Europe/Berlin", "2026-03-29T12:00", "2026-03-29", "2026-03-28T23:00", "2026-03-29T22:00"),
        ("day", "Europe/Berlin", "2026-10-25T12:00", "2026-10-25", "2026-10-24T22:00", "2026-10-25T23:00"),
        ("day", "Africa/Cairo", "2026-04-24T12:00", "2026-04-24", "2026-04-23T22:00", "2026-04-24T21:00"),
        ("week", "UTC", "2026-11-29T10:00", "2026-W48", "2026-11-23T00:00", "2026-11-30T00:00"),
        ("week", "UTC", "2027-01-01T10:00", "2026-W53", "2026-12-28T00:00", "2027-01-04T00:00"),
        ("month", "UTC", "2026-12-31T23:59", "2026-12", "2026-12-01T00:00", "2027-01-01T00:00"),
        ("month", "America/New_York", "2026-12-01T03:00", "2026-11", "2026-11-01T04:00", "2026-12-01T05:00"),
    ],
)
def test_spans(window: str, zone: str, at: str, label: str, starts: str, ends: str) -> None:
    found = span(window, zone, utc(at))
    assert (found.label, found.starts_at, found.ends_at) == (label, utc(starts), utc(ends))


def test_total_has_no_edges() -> None:
    found = span("total", "UTC", utc("2026-11-30"))
    assert (found.label, found.starts_at, found.ends_at) == ("total", None, None)


def test_a_call_has_no_window_of_time() -> None:
    with pytest.raises(ValueError, match="no window"):
        span("call", "UTC", utc("2026-11-30"))


def test_a_skipped_midnight_begins_when_the_day_does() -> None:
    # Cairo's clocks went from 00:00 to 01:00 on 2026-04-24.
    assert midnight(date(2026, 4, 24), ZoneInfo("Africa/Cairo")) == utc("2026-04-23T22:00")


ZONES = (
    "UTC",
    "Europe/Berlin",
    "Africa/Cairo",
    "America/Havana",
    "Asia/Kathmandu",
    "Pacific/Apia",
    "Australia/Lord_Howe",
)
INSTANTS = st.integers(0, 35 * 365 * 86_400_000).map(
    lambda ms: datetime(2005, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)
)


@given(INSTANTS, st.sampled_from(ZONES), st.sampled_from(["minute", "hour", "day", "week", "month"]))
def test_every_instant_lies_in_its_window_and_windows_meet(at: datetime, zone: str, window: str) -> None:
    found = span(window, zone, at)
    assert found.starts_at is not None
    assert found.ends_at is not None
    assert found.starts_at <= at < found.ends_at
    assert span(window, zone, found.starts_at) == found
    after = span(window, zone, found.ends_at)
    assert after.starts_at == found.ends_at
    assert after.label != found.label
    assert span(window, zone, found.ends_at - timedelta(microseconds=1)) == found
