"""Who changed what, when, from what to what, and why: in each row's history and in the audit log."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from bazaar.models import Pair, Venue
from lensproject.core import curation
from lensproject.core.admin.curated import HISTORY_PAGE
from lensproject.desk.audit import reason_of
from tests.builders import make_asset, make_budget, make_network, make_user, make_venue
from tests.desk.forms import send
from tests.desk.html import inline_code, text
from tests.desk.people import signed_in, who

LOG = "/admin/admin/logentry/"


def history(row: object) -> str:
    meta = row._meta  # type: ignore[attr-defined]
    return reverse(f"admin:{meta.app_label}_{meta.model_name}_history", args=(row.pk,))  # type: ignore[attr-defined]


def entry(message: str, **over: object) -> LogEntry:
    values = {
        "user": make_user(),
        "content_type": ContentType.objects.get_for_model(Pair),
        "object_id": "1",
        "object_repr": "a pair",
        "action_flag": CHANGE,
        "change_message": message,
    }
    return LogEntry.objects.create(**(values | over))


def test_the_history_says_who_when_before_after_and_why(superuser: Client) -> None:
    venue = make_venue(weight=100)
    ann = make_user(username="ann")
    curation.revise(venue, {"weight": 250, "enabled": False}, row_version=1, by=ann, reason="best prices")
    venue.history.filter(row_version=2).update(history_date=datetime(2026, 11, 30, 20, 24, 34, tzinfo=UTC))

    page = superuser.get(history(venue))

    words = text(page)
    assert "30 Nov 2026, 20:24:34 UTC – ann changed it (version 2) Why: best prices" in words
    assert "enabled yes no" in words
    assert "weight (percent) 100 250" in words
    assert "the platform made it (version 1) Why: test" in words
    assert words.index("version 2") < words.index("version 1")
    assert inline_code(page) == []


def test_amounts_and_related_rows_are_in_words(superuser: Client) -> None:
    budget = make_budget(asset=make_asset("USDC"))

    words = text(superuser.get(history(budget)))

    assert "limit – 5.00 USDC" in words
    assert f"agent – {budget.holder}" in words
    assert "window – Day" in words


def test_a_node_s_url_is_shown_by_its_host_only(superuser: Client) -> None:
    network = make_network(rpc_url="https://node.example/v1/secret-key-of-ours?token=1")

    page = superuser.get(history(network)).content.decode()

    assert "https://node.example" in page
    assert "secret-key-of-ours" not in page


def test_a_long_history_is_read_in_pages_and_constant_queries(superuser: Client) -> None:
    venue = make_venue()
    for number in range(HISTORY_PAGE + 5):
        venue = curation.revise(
            venue, {"weight": number}, row_version=venue.row_version, by=make_user(), reason=f"reason {number}"
        )

    superuser.get(history(venue))
    with CaptureQueriesContext(connection) as queries:
        page = superuser.get(history(venue))
    older = superuser.get(f"{history(venue)}?skip={HISTORY_PAGE}")

    assert len(page.context["revisions"]) == HISTORY_PAGE
    assert page.context["revisions"][0].reason == f"reason {HISTORY_PAGE + 4}"
    assert "Older changes" in text(page)
    assert [revision.version for revision in older.context["revisions"]] == [6, 5, 4, 3, 2, 1]
    assert older.context["revisions"][-2].changes[0].before == "100"
    assert len(queries) <= 10


@pytest.mark.parametrize("skip", ["-1", "x", "9" * 40, "", "1.5"])
def test_a_forged_page_of_the_history_answers(superuser: Client, skip: str) -> None:
    assert superuser.get(f"{history(make_venue())}?skip={skip}").status_code == 200


def test_who_may_not_see_the_row_does_not_see_its_history(db: None) -> None:
    venue = make_venue()

    assert signed_in("viewer").get(history(venue)).status_code == 200
    assert signed_in().get(history(venue)).status_code == 403


def test_texts_of_people_are_escaped(superuser: Client) -> None:
    venue = make_venue()
    reason = "<script>alert(1)</script>"
    send(superuser, reverse("admin:bazaar_venue_change", args=(venue.pk,)), weight=7, reason=reason)

    for page in (history(venue), LOG, reverse("admin:index")):
        shown = superuser.get(page)
        assert inline_code(shown) == []
        assert "&lt;script&gt;alert(1)" in shown.content.decode()


def test_the_audit_log_has_the_reason_of_each_edit(superuser: Client) -> None:
    venue = make_venue()
    send(superuser, reverse("admin:bazaar_venue_change", args=(venue.pk,)), weight=7, reason="thin book")

    page = superuser.get(LOG)

    assert "thin book" in text(page)
    assert who(superuser).username in text(page)
    assert f'href="/admin/bazaar/venue/{venue.pk}/change/"' in page.content.decode()
    assert Venue.objects.get().weight == 7


def test_older_edits_are_behind_the_chip(superuser: Client) -> None:
    old = entry("old")
    LogEntry.objects.filter(pk=old.pk).update(action_time=datetime.now(UTC) - timedelta(days=9))
    new = entry("new")

    shown = superuser.get(LOG)

    assert [row.pk for row in shown.context["cl"].result_list] == [new.pk]
    assert "Last 7 days ✕" in text(shown)
    assert superuser.get(f"{LOG}?time=all").context["cl"].result_count == 2


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ('[{"changed": {"fields": ["Weight"]}}, {"reason": "thin book"}]', "thin book"),
        ('[{"changed": {"fields": ["Weight"]}}]', "Changed Weight."),
        ("Paused: too thin", "Paused: too thin"),
        ("5", "5"),
        ("", ""),
    ],
)
def test_the_reason_of_every_kind_of_message(db: None, message: str, reason: str) -> None:
    assert reason_of(entry(message)) == reason
