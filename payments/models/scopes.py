"""Where a policy or a budget applies: exactly one of organisation, team and agent."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Q

from payments.models.agents import Agent
from payments.models.organisations import Organisation, Team

SCOPES = ("organisation", "team", "agent")


def exactly_one_scope() -> Q:
    """Exactly one of the three columns is set."""
    conditions = Q()
    for chosen in SCOPES:
        conditions |= Q(**{f"{name}__isnull": name != chosen for name in SCOPES})
    return conditions


class Scoped(models.Model):
    """The three columns, of which one is set (each model adds the constraint under a name of its own)."""

    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        abstract = True

    @property
    def scope(self) -> str:
        """`organisation`, `team` or `agent`."""
        return next(name for name in SCOPES if getattr(self, f"{name}_id") is not None)

    @property
    def holder(self) -> Any:
        """The organisation, team or agent itself."""
        return getattr(self, self.scope)


def above(agent: Agent) -> Q:
    """The rows that apply to an agent: its own, its team's and its organisation's."""
    return Q(agent=agent) | Q(team_id=agent.team_id) | Q(organisation_id=agent.team.organisation_id)
