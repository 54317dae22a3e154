"""What a Caller carries of payments: the agent of the key, looked up when asked."""

from __future__ import annotations

from dataclasses import dataclass

from lensproject.core.callers import Caller
from lensproject.core.errors import PermissionDenied
from payments.models import Agent


@dataclass(frozen=True)
class Account:
    """Whose key it is. Ids only: a kept Caller must not show rows as they were."""

    organisation_id: int
    agent_id: int | None
    seller_id: int | None

    def agent(self) -> Agent | None:
        """The agent as it is now, with its team and organisation."""
        if self.agent_id is None:
            return None
        return Agent.objects.select_related("team__organisation", "default_asset__network").get(pk=self.agent_id)


def agent_of(caller: Caller) -> Agent:
    """The agent that calls. Raises PermissionDenied for a key that has none, Unauthenticated without a key."""
    caller.require("read")
    agent = caller.account.agent() if isinstance(caller.account, Account) else None
    if agent is None:
        raise PermissionDenied(
            "This key belongs to no agent, so there is no budget to speak of.",
            details={"hint": "Ask an operator for a key that is issued to an agent."},
        )
    return agent
