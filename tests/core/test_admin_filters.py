"""Presets and days are half-open ranges on one column, in the operator's zone."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.contrib.admin.models import CHANGE, LogEntry
from django.test import Client

from lensproject.core import clock
from tests.builders import make_user
from tests.desk.conftest import superuser
from tests.desk.html import text

__all__ = ["superuser"]

LOG = "/admin/admin/logentry/"
NOW = datetime(2026, 3, 29, 12, tzinfo=UTC)


def edits(*times: datetime) -> None:
    user = make_user()
    for at in times:
        entry = LogEntry.objects.create(user=user, object_repr="x", action_flag=CHANGE, change_message=at.isoformat())
        LogEntry.objects.filter(pk=entry.pk).update(action_time=at)


def shown(client: Client, query: str, zone: str = "UTC") -> list[datetime]:
    client.cookies["desk_zone"] = zone
    with clock.frozen(NOW):
        page = client.get(f"{LOG}?{query}")
    assert page.status_code == 200
    return sorted(entry.action_time for entry in page.context["cl"].result_list)


def utc(text_of_it: str) -> datetime:
    return datetime.fromisoformat(text_of_it).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("time=all", "2025-12-31T00:00"),
        ("time=month", "2026-03-01T00:00"),
        ("time=30d", "2026-03-01T00:00"),
        ("time=7d", "2026-03-23T00:00"),
        ("", "2026-03-23T00:00"),
        ("time=today", "2026-03-29T00:00"),
    ],
)
def test_a_preset_begins_with_the_first_instant_of_its_first_day(superuser: Client, query: str, first: str) -> None:
    days = ["2025-12-31T00:00", "2026-02-27T23:59", "2026-03-01T00:00", "2026-03-22T23:59", "2026-03-23T00:00"]
    edits(*map(utc, [*days, "2026-03-28T23:59", "2026-03-29T00:00"]))

    assert shown(superuser, query)[0] == utc(first)


def test_days_are_days_of_the_operator_s_zone_also_when_the_clocks_change(superuser: Client) -> None:
    # On this day Berlin goes from UTC+1 to UTC+2, so that the day has 23 hours.
    edits(*map(utc, ["2026-03-28T22:59", "2026-03-28T23:00", "2026-03-29T21:59", "2026-03-29T22:00"]))

    day = "time_from=2026-03-29&time_until=2026-03-29"
    assert shown(superuser, day, "Europe/Berlin") == [utc("2026-03-28T23:00"), utc("2026-03-29T21:59")]
    assert shown(superuser, day) == [utc("2026-03-29T21:59"), utc("2026-03-29T22:00")]


@pytest.mark.parametrize(
    ("query", "count"), [("time_from=2026-03-29", 1), ("time_until=2026-03-28", 1), ("time_from=&time_until=", 1)]
)
def test_one_edge_is_enough(superuser: Client, query: str, count: int) -> None:
    edits(utc("2026-03-20T12:00"), utc("2026-03-29T11:00"))

    assert len(shown(superuser, query)) == count


@pytest.mark.parametrize(
    "query", ["time=x", "time_from=x", "time_until=9999-12-31", "time_from=2026-13-01", "time_from=%00"]
)
def test_what_cannot_be_read_leads_back_to_the_list(superuser: Client, query: str) -> None:
    answer = superuser.get(f"{LOG}?{query}")

    assert (answer.status_code, answer["Location"]) == (302, f"{LOG}?e=1")


def test_the_form_keeps_search_and_other_filters(superuser: Client) -> None:
    edits(utc("2026-03-29T11:00"))

    page = superuser.get(f"{LOG}?action_flag__exact=2&q=ann&p=1")

    form = page.content.decode().partition('class="when-days"')[2].partition("</form>")[0]
    assert '<input type="hidden" name="action_flag__exact" value="2">' in form
    assert '<input type="hidden" name="q" value="ann">' in form
    assert 'name="p"' not in form


def test_chosen_days_are_shown_in_their_inputs_and_take_the_chip_off(superuser: Client) -> None:
    page = superuser.get(f"{LOG}?time_from=2026-03-29")

    assert '<input type="date" name="time_from" value="2026-03-29">' in page.content.decode()
    assert "Last 7 days ✕" not in text(page)
