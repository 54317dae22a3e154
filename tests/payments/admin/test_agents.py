from __future__ import annotations

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from payments.models import Agent, Organisation, PayerAccount, Team
from tests.builders import (
    make_agent,
    make_asset,
    make_budget,
    make_budget_window,
    make_key,
    make_network,
    make_organisation,
    make_policy,
    make_team,
    make_user,
)
from tests.builders.numbers import account
from tests.desk.forms import mistakes, send
from tests.desk.html import text


def page(agent: Agent, name: str = "change") -> str:
    return reverse(f"admin:payments_agent_{name}", args=(agent.pk,))


def test_the_page_shows_budgets_above_it_keys_and_policies_with_links(superuser: Client) -> None:
    agent, asset = make_agent(), make_asset("USDC")
    own = make_budget(agent=agent, asset=asset)
    make_budget_window(own, spent=30_000_000, held=10_000_000)
    of_team = make_budget(team=agent.team, asset=asset, window="month")
    key = make_key(agent=agent, name="laptop")[0]
    policy = make_policy(agent, assets=[asset])
    other = make_key(name="somebody else's")[0]

    shown = superuser.get(page(agent))

    words, html = text(shown), shown.content.decode()
    assert "3.00 USDC spent, 1.00 USDC held, of 5.00 USDC" in words
    for row in (own, of_team, key, policy):
        assert reverse(f"admin:payments_{row._meta.model_name}_change", args=(row.pk,)) in html
    assert f"laptop ({key.key_id})" in words
    assert other.name not in words
    assert f"/admin/payments/apikey/add/?agent={agent.pk}" in html
    assert f"/admin/payments/budget/?agent__id__exact={agent.pk}" not in html


def test_links_to_what_belongs_to_it_open_the_narrowed_list(superuser: Client) -> None:
    agent = make_agent()
    make_key(agent=agent)
    make_key()

    shown = superuser.get(f"/admin/payments/apikey/?agent__id__exact={agent.pk}")

    assert [key.agent for key in shown.context["cl"].result_list] == [agent]


def test_an_agent_that_can_spend_nothing_is_told_why(superuser: Client) -> None:
    words = text(superuser.get(page(make_agent())))

    assert "None: it spends nothing." in words
    assert "None in force: it spends nothing." in words


def test_the_add_page_knows_the_team_it_came_from_and_who_asks(superuser: Client) -> None:
    team = make_team()

    shown = superuser.get(f"/admin/payments/agent/add/?team={team.pk}")

    form = shown.context["adminform"].form
    assert form.initial["team"] == str(team.pk)
    assert form.initial["owner"] == superuser.session["_auth_user_id"]


def test_pausing_shows_what_it_touches(superuser: Client) -> None:
    agent = make_agent()
    make_key(agent=agent)
    make_budget_window(make_budget(agent=agent), held=1)

    shown = text(superuser.get(page(agent, "pause")))

    assert "State Active Paused" in shown
    assert "Spending allowed refused until it is resumed" in shown
    assert "Keys that work 1" in shown
    assert "Open windows that hold money for payments 1" in shown


def test_a_closed_agent_is_not_opened_again(superuser: Client) -> None:
    agent = make_agent()
    send(superuser, page(agent, "close"), reason="ended")

    for change in ("pause", "resume", "close"):
        assert superuser.get(page(agent, change)).status_code == 302
    assert "Resume…" not in text(superuser.get(page(agent)))
    assert Agent.objects.get().state == "closed"


def test_an_agent_stays_in_its_team(superuser: Client) -> None:
    agent, other = make_agent(), make_team()

    send(superuser, page(agent), team=other.pk, name="Renamed", reason="x")

    stored = Agent.objects.get()
    assert (stored.name, stored.team) == ("Renamed", agent.team)


def test_a_name_is_taken_once_in_a_team(superuser: Client) -> None:
    agent = make_agent(name="Buyer")

    refused = send(superuser, "/admin/payments/agent/add/", name="Buyer", team=agent.team_id, owner=make_user().pk)

    assert mistakes(refused) == "The team has an agent of that name."
    assert Agent.objects.count() == 1


def test_organisations_teams_and_accounts_are_made_and_renamed(superuser: Client) -> None:
    send(superuser, "/admin/payments/organisation/add/", name="Acme")
    organisation = Organisation.objects.get()
    send(superuser, "/admin/payments/team/add/", name="Research", organisation=organisation.pk)
    team = Team.objects.get()
    send(superuser, reverse("admin:payments_team_change", args=(team.pk,)), name="Weather", reason="clearer")
    agent = make_agent(team=team)
    account_of = {"agent": agent.pk, "network": make_network().pk, "mode": "agent"}
    wrong = send(superuser, "/admin/payments/payeraccount/add/", **account_of, address="GNONSENSE")
    assert mistakes(wrong) != ""
    send(superuser, "/admin/payments/payeraccount/add/", **account_of, address=account(7))

    assert (Team.objects.get().name, Team.objects.get().organisation) == ("Weather", organisation)
    assert PayerAccount.objects.get().address == account(7)


def test_lists_offer_a_pause_in_each_row(superuser: Client) -> None:
    active, paused = make_agent(), make_agent(state="paused")

    html = superuser.get("/admin/payments/agent/").content.decode()

    assert f'href="{page(active, "pause")}">Pause…</a>' in html
    assert f'href="{page(paused, "resume")}">Resume…</a>' in html
    assert page(active, "close") not in html


def test_teams_offered_to_choose_from_are_one_query_with_their_organisations(superuser: Client) -> None:
    organisation = make_organisation(name="Acme")
    for number in range(5):
        make_team(organisation=organisation, name=f"Team {number}")
    query = {"app_label": "payments", "model_name": "agent", "field_name": "team", "term": "Team"}

    with CaptureQueriesContext(connection) as queries:
        answer = superuser.get("/admin/autocomplete/", query).json()

    assert [found["text"] for found in answer["results"]] == [f"Team {number} of Acme" for number in range(5)]
    assert len([query for query in queries if "payments_team" in query["sql"] and "COUNT" not in query["sql"]]) == 1
