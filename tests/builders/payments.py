from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.contrib.auth.models import User

from bazaar.models import Asset, Network
from lensproject.core import clock, curation
from payments.authentication.keys import issue_key
from payments.budgets.limits import create_budget
from payments.budgets.windows import span
from payments.models import Agent, ApiKey, Budget, BudgetWindow, Organisation, PayerAccount, Policy, Team
from payments.policy.versions import create_draft, publish
from tests.builders.networks import make_asset, make_network
from tests.builders.numbers import account, number


def make_user(**over: Any) -> User:
    """A person; `is_superuser=True, is_staff=True` for an administrator. The password is `secret`."""
    return User.objects.create_user(**({"username": f"user{number()}", "password": "secret"} | over))


def make_organisation(**over: Any) -> Organisation:
    return curation.create(Organisation(**({"name": f"Organisation {number()}"} | over)), by=None, reason="test")


def make_team(**over: Any) -> Team:
    values = {"organisation": over.pop("organisation", None) or make_organisation(), "name": f"Team {number()}"}
    return curation.create(Team(**(values | over)), by=None, reason="test")


def make_agent(**over: Any) -> Agent:
    """An active agent of a team of its own."""
    values = {
        "team": over.pop("team", None) or make_team(),
        "owner": over.pop("owner", None) or make_user(),
        "name": f"Agent {number()}",
    }
    return curation.create(Agent(**(values | over)), by=None, reason="test")


def make_payer_account(**over: Any) -> PayerAccount:
    values = {
        "agent": over.pop("agent", None) or make_agent(),
        "network": over.pop("network", None) or make_network(),
        "address": account(number()),
    }
    return curation.create(PayerAccount(**(values | over)), by=None, reason="test")


def make_key(
    *, agent: Agent | None = None, networks: Iterable[Network] | None = None, **over: Any
) -> tuple[ApiKey, str]:
    """A key with scope `read` of an agent, and its token. `organisation=` makes one of no agent."""
    organisation = over.pop("organisation", None)
    if organisation is None:
        agent = agent or make_agent()
        organisation = agent.team.organisation
    values = {
        "name": f"Key {number()}",
        "user": over.pop("user", None) or (agent.owner if agent else make_user()),
        "organisation": organisation,
        "agent": agent,
    }
    chosen = [make_network()] if networks is None else networks
    return issue_key(values | over, networks=chosen, by=None, reason="test")


def make_policy(agent: Agent | None = None, *, assets: Sequence[Asset] = (), **over: Any) -> Policy:
    """A policy in force of an agent, that allows everything in these assets up to 1.0 a call."""
    scope = {} if {"organisation", "team"} & over.keys() else {"agent": agent or make_agent()}
    values = {"networks": ["*"], "sellers": ["*"], "hosts": ["*"], "tools": ["*"]} | scope | over
    rows = [{"asset": asset, "per_call_maximum": 10**asset.decimals} for asset in assets]
    draft = create_draft(values, assets=rows, by=None, reason="test")
    return publish(draft, row_version=draft.row_version, by=None, reason="test")


def make_budget(**over: Any) -> Budget:
    """A daily budget of 5.0 of an agent, in an asset with seven decimals."""
    scope = {} if {"organisation", "team", "agent"} & over.keys() else {"agent": make_agent()}
    values = {"asset": over.pop("asset", None) or make_asset(), "window": "day", "limit": 50_000_000}
    return create_budget(values | scope | over, by=None, reason="test")


def make_budget_window(budget: Budget | None = None, **over: Any) -> BudgetWindow:
    """The window of now of a budget, with what is spent and held in it."""
    budget = budget or make_budget()
    now = span(budget.window, budget.zone, clock.now())
    values = {"label": now.label, "starts_at": now.starts_at, "ends_at": now.ends_at, "limit": budget.limit}
    return BudgetWindow.objects.create(budget=budget, **(values | over))
