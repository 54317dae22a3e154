from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from lensproject.core import clock
from payments.models import Budget, BudgetWindow
from tests.builders import make_agent, make_asset, make_budget, make_budget_window, make_organisation, make_team
from tests.desk.forms import mistakes, send
from tests.desk.html import text

ADD = "/admin/payments/budget/add/"
LIST = "/admin/payments/budget/"


def page(budget: Budget, name: str = "change") -> str:
    return reverse(f"admin:payments_budget_{name}", args=(budget.pk,))


def ended(budget: Budget, **over: int) -> BudgetWindow:
    now = clock.now()
    times = {"label": "2020-01-01", "starts_at": now - timedelta(9), "ends_at": now - timedelta(8)}
    return make_budget_window(budget, **times, **over)


def test_the_list_shows_the_open_window_with_a_bar_and_in_words(superuser: Client) -> None:
    budget = make_budget(asset=make_asset("USDC"))
    ended(budget, spent=50_000_000)
    make_budget_window(budget, spent=30_000_000, held=10_000_000)

    shown = superuser.get(LIST)

    html = shown.content.decode()
    assert 'aria-label="3.00 USDC spent, 1.00 USDC held, of 5.00 USDC"' in html
    assert (
        '<rect class="bar-spent" width="60" height="8"/><rect class="bar-held" x="60" width="20" height="8"/>' in html
    )
    assert f"Agent {budget.holder}" in text(shown)


def test_of_a_limit_for_each_seller_the_window_with_the_least_room_is_shown(superuser: Client) -> None:
    budget = make_budget(asset=make_asset("USDC"), cross="each_seller")
    make_budget_window(budget, cross_key="a", spent=1)
    make_budget_window(budget, cross_key="b", spent=20_000_000, held=20_000_000)

    assert "2.00 USDC spent, 2.00 USDC held, of 5.00 USDC" in text(superuser.get(LIST))


def test_a_budget_without_a_window_is_unused_and_one_per_call_has_none(superuser: Client) -> None:
    make_budget(asset=make_asset("USDC"))
    make_budget(window="call")

    shown = text(superuser.get(LIST))

    assert "0.00 USDC spent, 0.00 USDC held, of 5.00 USDC" in shown
    assert "each call by itself" in shown


@pytest.mark.parametrize(
    ("typed", "mistake"),
    [
        ({"limit": ""}, "required"),
        ({"limit": "-0.01"}, "without sign"),
        ({"limit": "1e3"}, "plain decimal"),
        ({"limit": "1,5"}, "plain decimal"),
        ({"limit": "12,50.00"}, "plain decimal"),
        ({"limit": "0.00000001"}, "7 decimals"),
        ({"limit": "9" * 19}, "2^63"),
        ({"asset": ""}, "Choose the asset"),
        ({"zone": "Nowhere/Land"}, "no time zone"),
        ({"zone": "Europe"}, "no time zone"),
        ({"window": "year"}, "not one of the available choices"),
        ({"cross": "seller"}, "is named"),
        ({"agent": ""}, "exactly one"),
    ],
)
def test_a_wrong_form_makes_nothing_and_says_what_is_wrong(
    superuser: Client, typed: dict[str, str], mistake: str
) -> None:
    right = {"agent": make_agent().pk, "asset": make_asset().pk, "limit": "5", "zone": "UTC"}

    refused = send(superuser, ADD, **{**right, **typed})

    assert mistake in mistakes(refused)
    assert not Budget.objects.exists()


def test_an_unambiguous_grouped_amount_is_read(superuser: Client) -> None:
    send(superuser, ADD, agent=make_agent().pk, asset=make_asset().pk, limit="12,500.00", zone="UTC")

    assert Budget.objects.get().limit == 125_000_000_000


@pytest.mark.parametrize("scope", ["organisation", "team", "agent"])
def test_budgets_of_each_scope_have_a_page(superuser: Client, scope: str) -> None:
    make = {"organisation": make_organisation, "team": make_team, "agent": make_agent}
    budget = make_budget(**{scope: make[scope]()})

    assert f"{budget.get_window_display()} budget of {budget.holder}" in text(superuser.get(page(budget)))


def test_a_page_has_no_field_that_could_change_what_the_budget_is_about(superuser: Client) -> None:
    budget = make_budget()

    shown = superuser.get(page(budget))

    assert b'name="_save"' not in shown.content
    answer = superuser.post(page(budget), {"limit": "9", "window": "total", "reason": "x", "row_version": "1"})
    assert answer.status_code == 403
    stored = Budget.objects.get()
    assert (stored.limit, stored.window) == (50_000_000, "day")
    for words in ("Raise the limit…", "Lower the limit…", "Close…"):
        assert words in text(shown)


def test_raising_shows_the_room_in_the_open_window_before_anything_happens(superuser: Client) -> None:
    budget = make_budget(asset=make_asset("USDC"))
    window = make_budget_window(budget, spent=30_000_000, held=10_000_000)

    asked = superuser.get(page(budget, "raise"))
    assert "New limit" in text(asked)
    shown = text(superuser.get(page(budget, "raise"), {"limit": "8"}))

    assert "Limit 5.00 USDC 8.00 USDC (80000000 units)" in shown
    now = "3.00 USDC spent, 1.00 USDC held, room for 1.00 USDC"
    assert f"Open window {window.label} {now} room for 4.00 USDC" in shown
    assert Budget.objects.get().limit == 50_000_000


@pytest.mark.parametrize("limit", ["", "-1", "x", "1e9", "0.00000001"])
def test_a_limit_that_cannot_be_read_is_asked_for_again(superuser: Client, limit: str) -> None:
    budget = make_budget()

    asked = superuser.post(page(budget, "raise"), {"limit": limit, "reason": "x", "row_version": "1"})

    assert asked.status_code == 200
    assert asked.context["question"].errors
    assert Budget.objects.get().limit == 50_000_000


@pytest.mark.parametrize(("change", "limit", "mistake"), [("raise", "5", "not above"), ("lower", "5", "not below")])
def test_the_wrong_page_for_a_limit_says_so(superuser: Client, change: str, limit: str, mistake: str) -> None:
    budget = make_budget()

    assert mistake in mistakes(send(superuser, f"{page(budget, change)}?limit={limit}", reason="x"))
    assert Budget.objects.get().limit == 50_000_000


def test_a_closed_budget_cannot_be_raised(superuser: Client) -> None:
    budget = make_budget(state="closed")

    answer = superuser.get(page(budget, "raise"), {"limit": "8"})

    assert answer.status_code == 302
    assert "it is closed" in text(superuser.get(answer["Location"]))


def test_open_windows_are_shown_first_and_a_chip_takes_that_off(superuser: Client) -> None:
    budget = make_budget()
    ended(budget)
    now = make_budget_window(budget)
    address = reverse("admin:payments_budgetwindow_changelist")

    shown = superuser.get(address)
    assert [row.pk for row in shown.context["cl"].result_list] == [now.pk]
    assert "Open now ✕" in text(shown)
    everything = superuser.get(f"{address}?time=all")
    assert everything.context["cl"].result_count == 2
    assert "✕ Open now" not in text(everything)


@pytest.mark.parametrize(("query", "found"), [("2020-01-01", 1), ("2020-01", 0), ("nonsense", 0)])
def test_windows_are_found_by_the_whole_label(superuser: Client, query: str, found: int) -> None:
    budget = make_budget()
    ended(budget)
    make_budget_window(budget)

    shown = superuser.get(f"{reverse('admin:payments_budgetwindow_changelist')}?time=all&q={query}")

    assert shown.context["cl"].result_count == found
