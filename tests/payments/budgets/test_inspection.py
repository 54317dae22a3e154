from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from bazaar.models import Asset, Network
from lensproject.core import clock
from payments.budgets.inspection import inspect_budget
from payments.budgets.shapes import BudgetItem
from payments.models import Agent, Budget
from payments.policy.effective import effective_policy
from tests.builders import make_agent, make_asset, make_budget, make_budget_window, make_network, make_policy

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def spender(**over: Any) -> tuple[Agent, Asset]:
    """An agent whose default asset is USDC on the local network."""
    asset = make_asset("USDC")
    return make_agent(default_asset=asset, **over), asset


def seen(agent: Agent, *networks: str, at: datetime = NOON) -> BudgetItem:
    fresh = Agent.objects.select_related("team__organisation", "default_asset__network").get(pk=agent.pk)
    return inspect_budget(fresh, effective_policy(fresh), networks=networks or ("stellar:local",), at=at)


def test_the_numbers_of_the_reference() -> None:
    agent, asset = spender()
    policy = make_policy(agent, assets=[asset])
    policy.assets.update(per_call_maximum=1_000_000)
    budget = make_budget(agent=agent, asset=asset, limit=50_000_000)
    with clock.frozen(NOON):
        make_budget_window(budget, spent=2_000_000, held=500_000)
    assert seen(agent) == {
        "agent": {"id": agent.public_id, "name": agent.name, "state": "active"},
        "network": "stellar:local",
        "asset": "USDC",
        "perCallMaxAmount": "0.10",
        "dailyMaxAmount": "5.00",
        "remainingToday": "4.75",
        "allowedNetworks": ["stellar:local"],
        "allowedAssets": ["USDC"],
        "allowedAssetDetails": [
            {
                "asset": f"USDC:{asset.issuer}",
                "code": "USDC",
                "issuer": asset.issuer,
                "contract": asset.contract,
                "decimals": 7,
                "network": "stellar:local",
                "perCallMaxAmount": "0.10",
                "approvalAbove": None,
            }
        ],
        "limits": [
            {
                "id": budget.public_id,
                "name": f"Day budget of {agent.name} in USDC",
                "scope": "agent",
                "network": "stellar:local",
                "asset": "USDC",
                "window": "day",
                "cross": "none",
                "crossKey": None,
                "limit": "5.00",
                "spent": "0.20",
                "held": "0.05",
                "remaining": "4.75",
                "resetsAt": "2026-12-01T00:00:00.000Z",
            }
        ],
    }


def test_with_no_policy_and_no_budget_nothing_is_allowed_and_nothing_is_limited() -> None:
    agent, _ = spender()
    budget = seen(agent)
    assert (budget["perCallMaxAmount"], budget["dailyMaxAmount"], budget["remainingToday"]) == (None, None, None)
    assert (budget["allowedNetworks"], budget["allowedAssets"], budget["limits"]) == ([], [], [])


def test_without_a_default_asset_the_amounts_are_null_and_the_limits_are_there() -> None:
    agent = make_agent()
    make_budget(agent=agent)
    budget = seen(agent)
    assert (budget["network"], budget["asset"], budget["dailyMaxAmount"]) == (None, None, None)
    assert [limit["limit"] for limit in budget["limits"]] == ["5.00"]


@pytest.mark.parametrize("state", ["paused", "closed"])
def test_the_state_of_the_agent_is_shown(state: str) -> None:
    agent, _ = spender(state=state)
    assert seen(agent)["agent"]["state"] == state


def test_the_smallest_limit_above_the_agent_holds() -> None:
    agent, asset = spender()
    make_budget(agent=agent, asset=asset, limit=90_000_000)
    make_budget(team=agent.team, asset=asset, limit=70_000_000)
    make_budget(organisation=agent.team.organisation, asset=asset, limit=80_000_000)
    assert seen(agent)["dailyMaxAmount"] == "7.00"


def test_the_least_room_may_be_in_another_window_than_the_smallest_limit() -> None:
    agent, asset = spender()
    make_budget(agent=agent, asset=asset, limit=20_000_000)
    full = make_budget(team=agent.team, asset=asset, limit=90_000_000)
    with clock.frozen(NOON):
        make_budget_window(full, spent=85_000_000, held=4_000_000)
    assert (seen(agent)["dailyMaxAmount"], seen(agent)["remainingToday"]) == ("2.00", "0.10")


def test_limits_of_other_agents_teams_and_assets_do_not_count() -> None:
    agent, asset = spender()
    make_budget(asset=asset, limit=1)
    make_budget(team=make_agent().team, asset=asset, limit=1)
    make_budget(agent=agent, asset=make_asset(), limit=1)
    assert seen(agent)["dailyMaxAmount"] is None
    assert [limit["scope"] for limit in seen(agent)["limits"]] == ["agent"]


def test_a_closed_budget_is_none() -> None:
    agent, asset = spender()
    make_budget(agent=agent, asset=asset)
    Budget.objects.update(state="closed")
    assert (seen(agent)["dailyMaxAmount"], seen(agent)["limits"]) == (None, [])


def test_only_windows_of_a_day_make_the_daily_amount() -> None:
    agent, asset = spender()
    for window in ("minute", "hour", "week", "month", "total"):
        make_budget(agent=agent, asset=asset, window=window, limit=1)
    assert (seen(agent)["dailyMaxAmount"], seen(agent)["remainingToday"]) == (None, None)


def test_a_limit_of_one_seller_binds_that_seller_only() -> None:
    agent, asset = spender()
    make_budget(agent=agent, asset=asset, limit=1, cross="seller", cross_key="seller_1")
    make_budget(agent=agent, asset=asset, limit=1, window="call", cross="each_tool")
    budget = seen(agent)
    assert (budget["perCallMaxAmount"], budget["dailyMaxAmount"]) == (None, None)
    assert [(limit["cross"], limit["crossKey"]) for limit in budget["limits"]] == [
        ("each_tool", None),
        ("seller", "seller_1"),
    ]


def test_the_per_call_maximum_is_the_smallest_of_policies_and_budgets() -> None:
    agent, asset = spender()
    make_policy(agent, assets=[asset])
    assert seen(agent)["perCallMaxAmount"] == "1.00"
    make_budget(agent=agent, asset=asset, window="call", limit=9_000_000)
    assert seen(agent)["perCallMaxAmount"] == "0.90"
    organisation = make_policy(organisation=agent.team.organisation, assets=[asset])
    organisation.assets.update(per_call_maximum=8_000_000, approve_above=7_000_000)
    budget = seen(agent)
    assert budget["perCallMaxAmount"] == "0.80"
    assert [(a["perCallMaxAmount"], a["approvalAbove"]) for a in budget["allowedAssetDetails"]] == [("0.80", "0.70")]


def test_every_policy_must_allow() -> None:
    agent, asset = spender()
    both = make_asset("EURC")
    make_policy(agent, assets=[asset, both], networks=["stellar:local", "stellar:testnet"])
    make_policy(team=agent.team, assets=[both], networks=["*"])
    make_network("stellar:testnet")
    budget = seen(agent, "stellar:local", "stellar:testnet")
    assert (budget["allowedNetworks"], budget["allowedAssets"]) == (["stellar:local", "stellar:testnet"], ["EURC"])


def test_a_policy_without_a_list_of_networks_allows_none() -> None:
    agent, asset = spender()
    make_policy(agent, assets=[asset], networks=[])
    assert (seen(agent)["allowedNetworks"], seen(agent)["allowedAssets"]) == ([], [])


def test_the_networks_of_the_key_are_all_that_is_shown() -> None:
    agent, asset = spender()
    testnet = make_network("stellar:testnet")
    elsewhere = make_asset("TEST", network=testnet)
    make_policy(agent, assets=[asset, elsewhere])
    make_budget(agent=agent, asset=asset)
    make_budget(agent=agent, asset=elsewhere)
    budget = seen(agent, "stellar:testnet")
    assert (budget["allowedNetworks"], budget["allowedAssets"]) == (["stellar:testnet"], ["TEST"])
    assert (budget["asset"], budget["dailyMaxAmount"]) == (None, None)
    assert [limit["asset"] for limit in budget["limits"]] == ["TEST"]


def test_what_is_switched_off_is_not_allowed() -> None:
    agent, asset = spender()
    make_policy(agent, assets=[asset])
    Asset.objects.update(enabled=False)
    assert (seen(agent)["asset"], seen(agent)["allowedAssets"]) == (None, [])
    Network.objects.update(enabled=False, is_default=False)
    assert seen(agent)["allowedNetworks"] == []


def test_an_agent_sees_that_there_is_a_limit_above_it_and_no_amount_of_it() -> None:
    agent, asset = spender()
    above = make_budget(team=agent.team, asset=asset, cross="seller", cross_key="seller_1", limit=80_000_000)
    with clock.frozen(NOON):
        make_budget_window(above, spent=1, held=1)
    (limit,) = seen(agent)["limits"]
    assert (limit["id"], limit["name"]) == (above.public_id, f"Day budget of {agent.team} in USDC")
    assert (limit["scope"], limit["window"], limit["resetsAt"]) == ("team", "day", "2026-12-01T00:00:00.000Z")
    assert [limit[key] for key in ("crossKey", "limit", "spent", "held", "remaining")] == [None] * 5


def test_a_lowered_limit_shows_the_windows_own() -> None:
    agent, asset = spender()
    budget = make_budget(agent=agent, asset=asset, limit=50_000_000)
    with clock.frozen(NOON):
        make_budget_window(budget, limit=60_000_000, spent=60_000_000)
    assert (seen(agent)["dailyMaxAmount"], seen(agent)["remainingToday"]) == ("6.00", "0.00")


def test_the_window_of_yesterday_is_over() -> None:
    agent, asset = spender()
    budget = make_budget(agent=agent, asset=asset)
    with clock.frozen(NOON - timedelta(days=1)):
        make_budget_window(budget, spent=50_000_000)
    assert seen(agent)["remainingToday"] == "5.00"


def test_the_day_is_that_of_the_budgets_zone() -> None:
    agent, asset = spender()
    budget = make_budget(agent=agent, asset=asset, zone="Asia/Tokyo")
    with clock.frozen(NOON):
        make_budget_window(budget, spent=10_000_000)
    after_midnight_in_tokyo = NOON + timedelta(hours=3)
    assert seen(agent, at=after_midnight_in_tokyo - timedelta(seconds=1))["remainingToday"] == "4.00"
    assert seen(agent, at=after_midnight_in_tokyo)["remainingToday"] == "5.00"
    assert seen(agent)["limits"][0]["resetsAt"] == "2026-11-30T15:00:00.000Z"


def test_a_limit_per_call_has_no_window_and_one_for_ever_never_resets() -> None:
    agent, asset = spender()
    make_budget(agent=agent, asset=asset, window="call", limit=1_000_000)
    make_budget(agent=agent, asset=asset, window="total", limit=70_000_000)
    call, total = seen(agent)["limits"]
    assert [call[key] for key in ("limit", "spent", "held", "remaining", "resetsAt")] == [
        "0.10",
        None,
        None,
        None,
        None,
    ]
    assert [total[key] for key in ("limit", "spent", "held", "remaining", "resetsAt")] == [
        "7.00",
        "0.00",
        "0.00",
        "7.00",
        None,
    ]


def test_a_limit_of_each_seller_is_followed_by_those_that_were_paid_the_fullest_first() -> None:
    agent, asset = spender()
    budget = make_budget(agent=agent, asset=asset, cross="each_seller")
    with clock.frozen(NOON):
        make_budget_window(budget, cross_key="seller_1", spent=10_000_000)
        make_budget_window(budget, cross_key="seller_2", spent=30_000_000)
    assert [(limit["crossKey"], limit["limit"], limit["remaining"]) for limit in seen(agent)["limits"]] == [
        (None, "5.00", None),
        ("seller_2", "5.00", "2.00"),
        ("seller_1", "5.00", "4.00"),
    ]


def test_at_most_fifty_of_each_are_listed() -> None:
    agent, asset = spender()
    budget = make_budget(agent=agent, asset=asset, cross="each_origin")
    with clock.frozen(NOON):
        for number in range(51):
            make_budget_window(budget, cross_key=f"https://{number}.example", spent=number)
    limits = seen(agent)["limits"]
    assert len(limits) == 51
    assert [limits[1]["crossKey"], limits[-1]["crossKey"]] == ["https://50.example", "https://1.example"]


def test_the_agents_own_limits_come_first() -> None:
    agent, asset = spender()
    make_budget(organisation=agent.team.organisation, asset=asset)
    make_budget(team=agent.team, asset=asset)
    make_budget(agent=agent, asset=asset, window="month")
    make_budget(agent=agent, asset=asset, window="call")
    assert [(limit["scope"], limit["window"]) for limit in seen(agent)["limits"]] == [
        ("agent", "call"),
        ("agent", "month"),
        ("team", "day"),
        ("organisation", "day"),
    ]


def test_the_number_of_queries_does_not_grow_with_the_budgets(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    agent, asset = spender()
    make_policy(agent, assets=[asset])
    for window in ("day", "week", "month", "total", "call"):
        make_budget(agent=agent, asset=asset, window=window)
    fresh = Agent.objects.select_related("team__organisation", "default_asset__network").get(pk=agent.pk)
    rules = effective_policy(fresh)
    with django_assert_num_queries(4):  # networks, budgets, their windows, allowed assets
        inspect_budget(fresh, rules, networks=["stellar:local"], at=NOON)
