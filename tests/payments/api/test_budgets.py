from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from lensproject.core import clock
from payments.budgets.limits import close_budget
from payments.models import Agent
from tests.builders import (
    make_agent,
    make_asset,
    make_budget,
    make_budget_window,
    make_key,
    make_network,
    make_organisation,
    make_policy,
)

pytestmark = pytest.mark.django_db
AT = datetime(2026, 11, 30, 20, 0, tzinfo=UTC)


@pytest.fixture
def agent() -> Agent:
    return make_agent(name="Scout", default_asset=make_asset("USDC"))


def headers(agent: Agent, **over: Any) -> dict[str, str]:
    _, token = make_key(agent=agent, **over)
    return {"Authorization": f"Bearer {token}"}


def ids(body: dict[str, Any]) -> list[str]:
    return [item["id"] for item in body["budgets"]]


def test_what_the_agent_may_spend(client: Client, agent: Agent) -> None:
    asset = agent.default_asset
    assert asset is not None
    make_policy(agent, assets=[asset])
    budget = make_budget(agent=agent, asset=asset)
    with clock.frozen(AT):
        make_budget_window(budget, spent=2_500_000, held=1_000_000)
        body = client.get("/api/v1/budget", headers=headers(agent)).json()["budget"]
    assert body["agent"] == {"id": agent.public_id, "name": "Scout", "state": "active"}
    assert (body["perCallMaxAmount"], body["dailyMaxAmount"], body["remainingToday"]) == ("1.00", "5.00", "4.65")
    assert (body["allowedNetworks"], body["allowedAssets"]) == (["stellar:local"], ["USDC"])
    assert [limit["id"] for limit in body["limits"]] == [budget.public_id]


def test_the_budgets_of_the_agent_with_their_windows(client: Client, agent: Agent) -> None:
    budget = make_budget(agent=agent, asset=agent.default_asset)
    with clock.frozen(AT):
        make_budget_window(budget, spent=2_500_000, held=0)
        body = client.get("/api/v1/budgets", headers=headers(agent)).json()
    assert body == {
        "budgets": [
            {
                "id": budget.public_id,
                "name": "Day budget of Scout in USDC",
                "scope": "agent",
                "network": "stellar:local",
                "asset": "USDC",
                "window": "day",
                "cross": "none",
                "crossKey": None,
                "limit": "5.00",
                "spent": "0.25",
                "held": "0.00",
                "remaining": "4.75",
                "resetsAt": "2026-12-01T00:00:00.000Z",
            }
        ],
        "nextCursor": None,
    }


def test_one_budget(client: Client, agent: Agent) -> None:
    budget = make_budget(agent=agent)
    mine = headers(agent)
    [item] = client.get("/api/v1/budgets", headers=mine).json()["budgets"]
    assert client.get(f"/api/v1/budgets/{budget.public_id}", headers=mine).json() == {"budget": item, "each": []}


def test_a_budget_of_each_seller_lists_what_was_paid_to_whom(client: Client, agent: Agent) -> None:
    budget = make_budget(agent=agent, cross="each_seller")
    make_budget_window(budget, cross_key="seller_a", spent=10_000_000)
    make_budget_window(budget, cross_key="seller_b", spent=20_000_000)
    mine = headers(agent)
    assert ids(client.get("/api/v1/budgets", headers=mine).json()) == [budget.public_id]
    body = client.get(f"/api/v1/budgets/{budget.public_id}", headers=mine).json()
    assert body["budget"]["spent"] is None
    assert [(part["crossKey"], part["spent"]) for part in body["each"]] == [("seller_b", "2.00"), ("seller_a", "1.00")]


@pytest.mark.parametrize(("cross", "key"), [("seller", "seller_a"), ("origin", "https://a.example"), ("tool", "a")])
@pytest.mark.parametrize("named_by_window", [False, True])
def test_a_budget_of_one_seller_origin_or_tool_stays_listed_once_something_was_paid(
    client: Client, agent: Agent, cross: str, key: str, named_by_window: bool
) -> None:
    budget = make_budget(agent=agent, cross=cross, cross_key=key)
    make_budget_window(budget, cross_key=key if named_by_window else "", spent=10_000_000)
    mine = headers(agent)
    [item] = client.get("/api/v1/budgets", headers=mine).json()["budgets"]
    assert (item["id"], item["crossKey"], item["spent"], item["remaining"]) == (budget.public_id, key, "1.00", "4.00")
    assert client.get(f"/api/v1/budgets/{budget.public_id}", headers=mine).json() == {"budget": item, "each": []}


def test_of_a_level_above_the_agent_the_name_is_shown_and_no_amount(client: Client, agent: Agent) -> None:
    budget = make_budget(organisation=agent.team.organisation)
    [item] = client.get("/api/v1/budgets", headers=headers(agent)).json()["budgets"]
    assert (item["id"], item["scope"]) == (budget.public_id, "organisation")
    assert [item[name] for name in ("limit", "spent", "held", "remaining")] == [None] * 4


def test_another_agents_budget_does_not_exist(client: Client, agent: Agent) -> None:
    theirs = make_budget(agent=make_agent(team=agent.team))
    mine = headers(agent)
    assert client.get("/api/v1/budgets", headers=mine).json()["budgets"] == []
    response = client.get(f"/api/v1/budgets/{theirs.public_id}", headers=mine)
    nothing = client.get("/api/v1/budgets/budget_0", headers=mine)
    assert (response.status_code, nothing.status_code) == (404, 404)
    assert response.json()["error"]["message"] == nothing.json()["error"]["message"]


@pytest.mark.parametrize("wanted", ["%00", "..", "x" * 300, "budget_%F0%9F%98%80"])
def test_an_unknown_budget_is_not_found(client: Client, agent: Agent, wanted: str) -> None:
    response = client.get(f"/api/v1/budgets/{wanted}", headers=headers(agent))
    assert (response.status_code, response.json()["error"]["code"]) == (404, "RESOURCE_NOT_FOUND")


def test_a_closed_budget_allows_nothing_and_is_not_shown(client: Client, agent: Agent) -> None:
    budget = make_budget(agent=agent)
    close_budget(budget, row_version=budget.row_version, by=None, reason="test")
    mine = headers(agent)
    assert client.get("/api/v1/budgets", headers=mine).json()["budgets"] == []
    assert client.get(f"/api/v1/budgets/{budget.public_id}", headers=mine).status_code == 404


def test_budgets_of_networks_that_the_key_does_not_name_are_not_shown(client: Client, agent: Agent) -> None:
    make_budget(agent=agent)
    elsewhere = headers(agent, networks=[make_network("stellar:testnet")])
    assert client.get("/api/v1/budgets", headers=elsewhere).json()["budgets"] == []


def test_budgets_go_by_pages_oldest_first(client: Client, agent: Agent) -> None:
    made = [make_budget(agent=agent, window=window).public_id for window in ("day", "hour", "week", "month", "total")]
    mine, seen = headers(agent), list[str]()
    cursor: dict[str, str] = {}
    for _ in range(3):
        body = client.get("/api/v1/budgets", {"limit": "2", **cursor}, headers=mine).json()
        seen += ids(body)
        cursor = {"cursor": body["nextCursor"]}
    assert seen == made
    assert cursor == {"cursor": None}


@pytest.mark.parametrize("path", ["budget", "budgets", "budgets/budget_0"])
def test_a_key_without_an_agent_has_no_budget(client: Client, path: str) -> None:
    _, token = make_key(organisation=make_organisation())
    response = client.get(f"/api/v1/{path}", headers={"Authorization": f"Bearer {token}"})
    assert (response.status_code, response.json()["error"]["code"]) == (403, "PERMISSION_DENIED")


@pytest.mark.parametrize("path", ["budget", "budgets", "budgets/budget_0"])
def test_budgets_need_a_key_even_where_reading_is_open(client: Client, path: str, settings: Any) -> None:
    settings.LENS = settings.LENS.model_copy(update={"anonymous_reading": True})
    response = client.get(f"/api/v1/{path}")
    assert (response.status_code, response.json()["error"]["code"]) == (401, "UNAUTHENTICATED")


@pytest.mark.parametrize("path", ["budget", "budgets"])
def test_the_version_moves_with_what_is_spent(client: Client, agent: Agent, path: str) -> None:
    budget = make_budget(agent=agent)
    mine = headers(agent)
    window = make_budget_window(budget)
    first = client.get(f"/api/v1/{path}", headers=mine)
    assert client.get(f"/api/v1/{path}", headers={**mine, "If-None-Match": first["ETag"]}).status_code == 304
    type(window).objects.filter(pk=window.pk).update(spent=1)
    assert client.get(f"/api/v1/{path}", headers={**mine, "If-None-Match": first["ETag"]}).status_code == 200
