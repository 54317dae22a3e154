"""Pausing, resuming and closing an agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from lensproject.core import clock, curation
from lensproject.core.admin import Danger, Fact
from payments.admin.attention import open_windows
from payments.models import Agent

State = Agent.State


class AgentState(Danger[Agent]):
    permission = "payments.pause_agent"
    target: ClassVar[State]
    allowed: ClassVar[str]
    """What its keys are answered afterwards."""

    def effect(self, row: Agent, answers: Mapping[str, Any]) -> Sequence[Fact]:
        now = clock.now()
        keys = row.api_keys.filter(revoked_at__isnull=True).exclude(expires_at__lte=now).count()
        holding = open_windows(now).filter(budget__agent=row, held__gt=0).count()
        return (
            Fact("State", row.get_state_display(), self.target.label),
            Fact("Spending", "allowed" if row.state == State.ACTIVE else "refused", self.allowed),
            Fact("Keys that work", str(keys), "go on working for reading"),
            Fact(
                "Open windows that hold money for payments", str(holding), "finished or proved; nothing is taken back"
            ),
        )

    def act(self, row: Agent, answers: Mapping[str, Any], *, row_version: int, by: Any, reason: str) -> Any:
        return curation.revise(row, {"state": self.target}, row_version=row_version, by=by, reason=reason)


class PauseAgent(AgentState):
    slug, label, done, bulk = "pause", "Pause", "paused", True
    target, allowed = State.PAUSED, "refused until it is resumed"

    def unavailable(self, row: Agent) -> str | None:
        return None if row.state == State.ACTIVE else f"it is {row.state} already"


class ResumeAgent(AgentState):
    slug, label, done, bulk = "resume", "Resume", "active again", True
    target, allowed = State.ACTIVE, "allowed within its budgets"

    def unavailable(self, row: Agent) -> str | None:
        return None if row.state == State.PAUSED else f"it is {row.state}, not paused"


class CloseAgent(AgentState):
    slug, label, done = "close", "Close", "closed"
    target, allowed = State.CLOSED, "refused for good"

    def unavailable(self, row: Agent) -> str | None:
        return None if row.state != State.CLOSED else "it is closed already"
