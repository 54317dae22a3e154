"""The policies above an agent, together: each must allow."""

from __future__ import annotations

import pytest

from payments.policy.effective import Allowed, AssetRule, effective_policy
from payments.policy.versions import retire
from tests.builders import make_agent, make_asset, make_policy

pytestmark = pytest.mark.django_db


def test_no_policy_allows_nothing() -> None:
    policy = effective_policy(make_agent())
    assert not policy.networks.allows("stellar:local")
    assert policy.assets == {}
    assert policy.policy_versions == ()


def test_a_draft_and_a_retired_version_allow_nothing() -> None:
    agent = make_agent()
    policy = make_policy(agent)
    retire(policy, row_version=policy.row_version, by=None, reason="test")
    assert not effective_policy(agent).networks.allows("stellar:local")


def test_lists_are_intersected_and_limits_are_the_smallest() -> None:
    agent = make_agent()
    usdc, xlm, other = make_asset(), make_asset(), make_asset()
    team, organisation = agent.team, agent.team.organisation
    make_policy(organisation=organisation, networks=["stellar:local", "stellar:testnet"], assets=[usdc, xlm])
    make_policy(team=team, networks=["*"], hosts=["a.example", "b.example"], assets=[usdc, other])
    make_policy(agent, hosts=["b.example"], networks=["stellar:testnet"], allow_unverified_domain=True, assets=[usdc])
    policy = effective_policy(agent)
    assert policy.networks == Allowed(frozenset({"stellar:testnet"}))
    assert policy.hosts == Allowed(frozenset({"b.example"}))
    assert policy.sellers.allows("anybody")
    assert policy.assets == {usdc.pk: AssetRule(10**7, None)}
    assert policy.allow_unverified_domain is False
    assert len(policy.policy_versions) == 3


def test_the_policy_of_another_agent_does_not_apply() -> None:
    agent = make_agent()
    make_policy(make_agent(team=agent.team))
    assert effective_policy(agent).policy_versions == ()


@pytest.mark.parametrize(
    ("left", "right", "both"),
    [
        (AssetRule(10, None), AssetRule(5, None), AssetRule(5, None)),
        (AssetRule(10, 3), AssetRule(20, None), AssetRule(10, 3)),
        (AssetRule(10, 3), AssetRule(20, 1), AssetRule(10, 1)),
    ],
)
def test_rules_of_an_asset_combine(left: AssetRule, right: AssetRule, both: AssetRule) -> None:
    assert left.and_also(right) == both
    assert right.and_also(left) == both


def test_an_absent_list_allows_nothing_and_a_star_everything() -> None:
    assert not Allowed.of([]).allows("x")
    assert Allowed.of(["*"]).allows("x")
    assert Allowed.of(["*", "y"]).and_also(Allowed.of(["y"])) == Allowed.of(["y"])
    assert not Allowed.of(["*"]).and_also(Allowed.of([])).allows("x")
