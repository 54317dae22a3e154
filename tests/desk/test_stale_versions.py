"""Two people edit the same row: the second is told what the first changed, and nothing is lost."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from bazaar.models import Pair, Venue
from lensproject.core import curation
from payments.budgets.limits import raise_limit
from payments.models import Agent, Budget
from tests.builders import make_agent, make_budget, make_pair, make_user, make_venue
from tests.desk.forms import mistakes, send_again, shown_in
from tests.desk.html import text


def test_the_second_editor_sees_what_the_first_changed_and_why_and_keeps_what_was_typed(superuser: Client) -> None:
    venue = make_venue(weight=100)
    address = reverse("admin:bazaar_venue_change", args=(venue.pk,))
    opened = superuser.get(address)
    ann = make_user(username="ann")
    curation.revise(venue, {"weight": 250, "enabled": False}, row_version=1, by=ann, reason="best prices")

    refused = send_again(superuser, address, opened, weight="70", reason="bad prices")

    told = mistakes(refused)
    assert "was changed by somebody else since you read it" in told
    assert "ann changed “weight (percent)” from 100 to 250" in told
    assert "ann changed “enabled” from yes to no" in told
    assert "Reason: best prices." in told
    assert shown_in(refused)["weight"] == ["70"]
    assert shown_in(refused)["reason"] == ["bad prices"]
    stored = Venue.objects.get()
    assert (stored.weight, stored.enabled, stored.row_version) == (250, False, 2)
    assert venue.history.count() == 2


def test_who_has_seen_the_difference_may_write_over_it(superuser: Client) -> None:
    venue = make_venue(weight=100)
    address = reverse("admin:bazaar_venue_change", args=(venue.pk,))
    opened = superuser.get(address)
    curation.revise(venue, {"weight": 250}, row_version=1, by=None, reason="best prices")

    refused = send_again(superuser, address, opened, weight="70", reason="bad prices")
    accepted = send_again(superuser, address, refused)

    stored = Venue.objects.get()
    assert (accepted.status_code, stored.weight, stored.row_version) == (302, 70, 3)


def test_a_second_page_is_refused_when_the_row_moved_on_and_shows_the_effect_anew(superuser: Client) -> None:
    budget = make_budget(limit=50_000_000)
    address = reverse("admin:payments_budget_raise", args=(budget.pk,)) + "?limit=8"
    opened = superuser.get(address)
    raise_limit(budget, 60_000_000, row_version=1, by=None, reason="first")

    refused = send_again(superuser, address, opened, reason="second")

    assert "changed by somebody else" in mistakes(refused)
    assert f"6.00 {budget.asset.code}" in text(refused)
    assert Budget.objects.get().limit == 60_000_000
    assert shown_in(refused)["reason"] == ["second"]
    send_again(superuser, address, refused)
    assert Budget.objects.get().limit == 80_000_000


def test_a_pause_of_a_row_that_moved_on_changes_nothing(superuser: Client) -> None:
    agent = make_agent()
    address = reverse("admin:payments_agent_pause", args=(agent.pk,))
    opened = superuser.get(address)
    curation.revise(agent, {"name": "Renamed"}, row_version=1, by=None, reason="clearer")

    refused = send_again(superuser, address, opened, reason="stop")

    assert "changed by somebody else" in mistakes(refused)
    assert Agent.objects.get().state == "active"


@pytest.mark.parametrize("forged", ["", "0", "-1", "99", "x", "9" * 30])
def test_a_forged_version_writes_nothing_and_is_no_fault_of_the_server(superuser: Client, forged: str) -> None:
    pair = make_pair(staleness_limit_seconds=900)
    address = reverse("admin:bazaar_pair_change", args=(pair.pk,))
    opened = superuser.get(address)

    refused = send_again(superuser, address, opened, staleness_limit_seconds="5", reason="quick", row_version=forged)

    assert refused.status_code == 200
    assert mistakes(refused) != ""
    assert Pair.objects.get().staleness_limit_seconds == 900


def test_saving_an_unchanged_form_writes_no_revision(superuser: Client) -> None:
    pair = make_pair()
    address = reverse("admin:bazaar_pair_change", args=(pair.pk,))

    saved = send_again(superuser, address, superuser.get(address), reason="nothing")

    assert saved.status_code == 302
    assert Pair.objects.get().row_version == 1
    assert pair.history.count() == 1
