"""One change to several rows: asked for twice, row by row, each outcome reported."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.test import Client
from django.urls import reverse

from bazaar.catalog.entries import create_entry
from bazaar.models import CatalogEntry
from lensproject.core.admin import bulk
from payments.models import Agent
from tests.builders import make_agent, make_entry, make_seller, make_team
from tests.desk.html import Page, inline_code, text
from tests.desk.people import signed_in

AGENTS = "/admin/payments/agent/"


def chosen(action: str, rows: list[Any], **more: str) -> dict[str, Any]:
    return {"action": action, ACTION_CHECKBOX_NAME: [row.pk for row in rows], "index": "0", **more}


def confirm(client: Client, url: str, action: str, rows: list[Any], reason: str) -> Page:
    """What the second page sends."""
    data = {"action": action, ACTION_CHECKBOX_NAME: [row.pk for row in rows], "reason": reason}
    return client.post(url, data, follow=True)


def test_first_a_page_lists_the_rows_and_asks_why(superuser: Client) -> None:
    active, paused = make_agent(), make_agent(state="paused")

    page = superuser.post(AGENTS, chosen("pause_selected", [active, paused]))

    words = text(page)
    assert "Pause 2 agents" in words
    assert f"{paused} – will be skipped: it is paused already" in words
    assert inline_code(page) == []
    assert Agent.objects.get(pk=active.pk).state == "active"


def test_then_each_row_is_changed_with_the_reason_and_reported(superuser: Client) -> None:
    active, paused, other = make_agent(), make_agent(state="paused"), make_agent()

    page = confirm(superuser, AGENTS, "pause_selected", [active, paused], "too many calls")

    states = dict(Agent.objects.values_list("pk", "state"))
    assert states == {active.pk: "paused", paused.pk: "paused", other.pk: "active"}
    assert f"1 paused; 1 skipped: {paused} (it is paused already)" in text(page)
    assert f'<a href="{AGENTS}{paused.pk}/change/">' in page.content.decode()
    assert active.history.first().history_change_reason == "too many calls"


def test_a_row_that_is_refused_does_not_keep_the_others_from_it(superuser: Client) -> None:
    good, unpriced = make_entry(state="paused"), make_entry(priced=False, state="draft")

    page = confirm(superuser, "/admin/bazaar/catalogentry/", "list_selected", [unpriced, good], "ready")

    states = dict(CatalogEntry.objects.values_list("pk", "state"))
    assert states == {good.pk: "listed", unpriced.pk: "draft"}
    assert f"1 listed; 1 failed: {unpriced} (An entry without a way to pay cannot be listed.)" in text(page)


@pytest.mark.parametrize("reason", ["", "   ", "x" * 201])
def test_without_a_good_reason_nothing_happens(superuser: Client, reason: str) -> None:
    agent = make_agent()

    page = confirm(superuser, AGENTS, "pause_selected", [agent], reason)

    assert page.context["form"].errors["reason"]
    assert Agent.objects.get().state == "active"


def test_more_rows_than_the_cap_are_refused_as_a_whole(superuser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "MOST_ROWS", 2)
    team = make_team()
    agents = [make_agent(team=team) for _ in range(3)]

    page = confirm(superuser, AGENTS, "pause_selected", agents, "x")

    assert "Select at most 2 rows; nothing was changed." in text(page)
    assert set(Agent.objects.values_list("state", flat=True)) == {"active"}


def test_the_cap_is_two_hundred() -> None:
    assert bulk.MOST_ROWS == 200


def test_selecting_all_across_pages_is_capped_too(superuser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "MOST_ROWS", 2)
    agents = [make_agent() for _ in range(3)]

    superuser.post(AGENTS, {**chosen("pause_selected", agents[:1], select_across="1"), "reason": "x"})

    assert set(Agent.objects.values_list("state", flat=True)) == {"active"}


def test_who_lacks_the_permission_has_no_such_action(db: None) -> None:
    viewer, agent = signed_in("viewer"), make_agent()

    confirm(viewer, AGENTS, "pause_selected", [agent], "x")

    assert Agent.objects.get().state == "active"
    assert "pause_selected" not in viewer.get(AGENTS).content.decode()


def test_no_selection_and_unknown_actions_change_nothing(superuser: Client) -> None:
    make_agent()

    for data in ({"action": "pause_selected", "index": "0"}, chosen("nonsense", [Agent.objects.get()])):
        assert superuser.post(AGENTS, data).status_code in (200, 302)
    assert Agent.objects.get().state == "active"


def test_many_rows_that_need_a_look_are_named_up_to_twenty() -> None:
    outcome = bulk.Outcome(skipped=[(f"row {number}", "why") for number in range(25)])

    words = outcome.text("paused", lambda row: "/x/")

    assert words.count("<a href") == 20
    assert words.endswith("and 5 more")


def test_names_are_escaped_in_the_report(superuser: Client) -> None:
    values = {"kind": "mcp", "origin": "https://a.example", "route": "/mcp", "tool": "t"}
    seller = make_seller()
    entry = create_entry({**values, "seller": seller, "title": "<script>alert(1)</script>"}, by=None, reason="test")

    page = confirm(superuser, "/admin/bazaar/catalogentry/", "list_selected", [entry], "x")

    assert inline_code(page) == []
    assert "&lt;script&gt;" in page.content.decode()
    assert reverse("admin:index") in page.content.decode()
