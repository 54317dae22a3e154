"""Each number of the dashboard is the number of rows of the list that it leads to."""

from __future__ import annotations

from datetime import timedelta

from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from bazaar.models import Market
from lensproject.core import clock
from lensproject.desk import dashboard
from lensproject.desk.questions import QUESTIONS
from payments.models import ApiKey
from tests.builders import (
    make_agent,
    make_asset,
    make_budget,
    make_budget_window,
    make_entry,
    make_key,
    make_market,
    make_network,
    make_pair,
    make_seller,
    make_venue,
)
from tests.desk.forms import send
from tests.desk.html import inline_code, text
from tests.desk.people import signed_in, who


def numbers(client: Client) -> dict[str, dashboard.Shown]:
    cache.clear()
    shown = dashboard.panels(who(client))
    return {number.label: number for panel in shown for number in panel.numbers}


def everything_that_wants_a_look() -> None:
    now = clock.now()
    make_network("stellar:testnet", enabled=False)
    make_pair(enabled=False)
    make_pair()
    make_venue(enabled=False)
    make_entry(state="draft")
    make_seller(state="paused")
    make_asset(enabled=False)
    make_agent(state="paused")
    for spent, held in ((0, 0), (1, 0), (39_999_999, 1), (40_000_000, 1), (10_000_000, 40_000_000)):
        make_budget_window(make_budget(), spent=spent, held=held)
    ended = {"label": "2020-01-01", "starts_at": now - timedelta(9), "ends_at": now - timedelta(8)}
    make_budget_window(make_budget(), spent=50_000_000, **ended)
    for days in (3, 13, 15, None):
        make_key(expires_at=None if days is None else now + timedelta(days))
    revoked = make_key(expires_at=now + timedelta(3))[0]
    ApiKey.objects.filter(pk=revoked.pk).update(revoked_at=now)
    Market.objects.filter(pk=make_market().pk).update(last_error="timeout")


def test_every_number_equals_the_rows_of_its_list(superuser: Client) -> None:
    everything_that_wants_a_look()

    found = numbers(superuser)

    assert {label: number.text for label, number in found.items()} == {
        "Open windows with spending": "4",
        "Markets whose last reading failed": "1",
        "Windows used to more than 80 %": "2",
        "Keys that expire within two weeks": "2",
        "Paused agents": "1",
        "Paused sellers": "1",
        "Entries in draft": "1",
        "Disabled networks": "1",
        "Disabled pairs": "1",
        "Disabled venues": "1",
        "Assets off the list": "1",
    }
    for label, number in found.items():
        listed = superuser.get(number.link)
        assert listed.status_code == 200, label
        assert listed.context["cl"].result_count == int(number.text), label


def test_the_page_shows_the_questions_their_numbers_and_who_changed_what_and_why(superuser: Client) -> None:
    pair = make_pair()
    send(superuser, reverse("admin:bazaar_pair_pause", args=(pair.pk,)), reason="too thin")
    send(superuser, reverse("admin:bazaar_pair_change", args=(pair.pk,)), staleness_limit_seconds=60, reason="quicker")

    page = superuser.get(reverse("admin:index"))

    words = text(page)
    for title, _ in QUESTIONS:
        assert title in words
    assert "Paused: too thin" in words
    assert "quicker" in words
    assert words.index("quicker") < words.index("too thin")
    assert who(superuser).username in words
    assert inline_code(page) == []


def test_each_number_is_one_query_and_none_for_a_minute(superuser: Client) -> None:
    user = who(superuser)
    count = sum(len(asked) for _, asked in QUESTIONS)

    with CaptureQueriesContext(connection) as first:
        dashboard.panels(user)
    with CaptureQueriesContext(connection) as second:
        dashboard.panels(user)

    assert (len(first), len(second)) == (count, 0)
    assert all("LIMIT 10001" in query["sql"] for query in first)


def test_a_number_above_the_cap_says_so(superuser: Client) -> None:
    label, number = QUESTIONS[0][1][0].label, QUESTIONS[0][1][0]
    dashboard.panels(who(superuser))
    cache.set(dashboard.cache_key(number), 10_001, 60)

    shown = [n for panel in dashboard.panels(who(superuser)) for n in panel.numbers if n.label == label]

    assert shown[0].text == "10,000+"


def test_who_may_not_see_the_rows_does_not_see_the_number(db: None) -> None:
    everything_that_wants_a_look()
    nobody, viewer = signed_in(), signed_in("viewer")

    assert numbers(nobody) == {}
    assert "Paused agents" in numbers(viewer)
    assert dashboard.edits(who(viewer)) is None
    assert "What changed?" not in text(viewer.get(reverse("admin:index")))
    assert nobody.get(reverse("admin:index")).status_code == 200


def test_the_last_ten_edits_are_one_query(superuser: Client) -> None:
    agent = make_agent()
    user = who(superuser)
    for number in range(12):
        send(
            superuser, reverse("admin:payments_agent_change", args=(agent.pk,)), name=f"N{number}", reason=f"r{number}"
        )

    with CaptureQueriesContext(connection) as queries:
        edits = dashboard.edits(user)

    assert edits is not None
    assert [edit.why for edit in edits] == [f"r{number}" for number in range(11, 1, -1)]
    assert len(queries) == 1
