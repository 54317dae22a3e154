"""The tool `inspect_budget`."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from lensproject.core import clock
from lensproject.core.callers import READ
from mcp_bridge.registry import NoInput, tool
from mcp_bridge.request import ToolRequest
from mcp_bridge.response import ToolResponse
from payments.authentication.accounts import agent_of
from payments.budgets import inspection
from payments.budgets.shapes import BudgetItem
from payments.policy.effective import effective_policy


class InspectBudgetOutput(BaseModel):
    """What the agent of the key may spend now."""

    budget: BudgetItem


@tool(
    "payments",
    name="inspect_budget",
    title="Inspect your budget",
    description=(
        "What you may spend now: the most per call and per day and what is left of today in your default asset, the "
        "networks and assets that your policies allow, and every limit with what is spent, held and left, and when it "
        "resets. Look here before you pay."
    ),
    input=NoInput,
    output=InspectBudgetOutput,
    scope=READ,
    read_only=True,
    destructive=False,
    idempotent=True,
    open_world=False,
)
def inspect_budget(request: ToolRequest[NoInput], response: ToolResponse) -> dict[str, Any]:
    agent = agent_of(request.caller)
    rules = effective_policy(agent)
    return {
        "budget": inspection.inspect_budget(agent, rules, networks=request.caller.networks, at=clock.now()),
    }
