"""An agent that may spend: its organisation and team, a policy in force, a daily budget, and a key."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import User

from bazaar.models import Asset, Network
from lensproject.core import curation
from lensproject.management.demo.seeding.once import REASON, Once
from payments.authentication.keys import issue_key
from payments.authentication.verify import verify_key
from payments.budgets.limits import create_budget
from payments.models import Agent, Budget, Organisation, Policy, Team
from payments.policy.versions import create_draft, publish

ORGANISATION, TEAM, AGENT = "Demo organisation", "Demo team", "Demo agent"
DAILY_UNITS = 50_000_000
PER_CALL_UNITS = 1_000_000


@dataclass(frozen=True)
class Key:
    """The agent's bearer token, and a few words on where it comes from; without token they say why."""

    token: str | None
    story: str


def agent_with_key(once: Once, owner: User, network: Network, usdc: Asset | None, earlier: str | None) -> Key:
    agent = _agent(once, owner, usdc)
    if agent is None:
        return Key(None, "there is none, since the demo's agent was removed")
    if usdc is not None:
        _policy(once, agent, network, usdc)
        _budget(once, agent, usdc)
    return _key(agent, network, earlier)


def _agent(once: Once, owner: User, usdc: Asset | None) -> Agent | None:
    def make_organisation() -> Organisation:
        return curation.create(Organisation(name=ORGANISATION), by=None, reason=REASON)

    organisation = once.row(Organisation, make_organisation, name=ORGANISATION)
    if organisation is None:
        return None

    def make_team() -> Team:
        return curation.create(Team(organisation=organisation, name=TEAM), by=None, reason=REASON)

    team = once.row(Team, make_team, organisation=organisation, name=TEAM)
    if team is None:
        return None

    def make_agent() -> Agent:
        agent = Agent(team=team, name=AGENT, owner=owner, default_asset=usdc)
        return curation.create(agent, by=None, reason=REASON)

    return once.row(Agent, make_agent, team=team, name=AGENT)


def _policy(once: Once, agent: Agent, network: Network, usdc: Asset) -> None:
    """At most 0.10 a call, for anything on the local network, of anybody: its money is play money."""
    values = {"agent": agent, "networks": [network.name], "sellers": ["*"], "hosts": ["*"], "tools": ["*"]}
    values["allow_unverified_domain"] = True
    allowed = [{"asset": usdc, "per_call_maximum": PER_CALL_UNITS}]

    def make() -> Policy:
        draft = create_draft(values, assets=allowed, by=None, reason=REASON)
        return publish(draft, row_version=draft.row_version, by=None, reason=REASON)

    once.row(Policy, make, agent=agent)


def _budget(once: Once, agent: Agent, usdc: Asset) -> None:
    """5.00 a day."""
    values = {"agent": agent, "asset": usdc, "window": "day", "limit": DAILY_UNITS}
    once.row(Budget, lambda: create_budget(values, by=None, reason=REASON), agent=agent)


def _key(agent: Agent, network: Network, earlier: str | None) -> Key:
    """The key of the run before while it works, since nobody can read it from the database; else another one."""
    if earlier is not None:
        caller = verify_key(earlier, "127.0.0.1")
        if caller is not None and caller.subject == agent.public_id:
            return Key(earlier, "the one of the run before")
    if agent.state == Agent.State.CLOSED:
        return Key(None, "there is none, since the demo's agent is closed")
    had_one = agent.api_keys.exists()
    values = {"name": "Demo key", "user": agent.owner, "organisation": agent.team.organisation, "agent": agent}
    _, token = issue_key(values | {"can_pay": True}, networks=[network], by=None, reason=REASON)
    lost = "a new one: the one of the run before is unknown or ended" if had_one else "a new one"
    return Key(token, lost)
