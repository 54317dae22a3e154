"""The shapes in which budgets go to agents (MCP) and programs (REST). A name never changes its meaning."""

from __future__ import annotations

from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from bazaar.catalog.supported import AssetDetail


class AgentItem(TypedDict):
    """`state` is active, paused or closed; only an active agent spends."""

    id: str
    name: str
    state: str


class AllowedAsset(AssetDetail):
    """An asset that every policy above the agent allows; above `approvalAbove` a person approves (null: never)."""

    network: str
    perCallMaxAmount: str
    approvalAbove: str | None


class LimitItem(TypedDict):
    """One limit that applies to the agent. Amounts are plain decimals of `asset`.

    They are null for a level above the agent, of which it may know the name only; spent, held and remaining also for
    `call`, which has no window, and where the limit is of each seller, origin or tool and `crossKey` names none.
    """

    id: str
    name: str
    scope: str
    network: str
    asset: str
    window: str
    cross: str
    crossKey: str | None
    limit: str | None
    spent: str | None
    held: str | None
    remaining: str | None
    resetsAt: str | None


class BudgetItem(TypedDict):
    """What an agent may spend. The three amounts speak of its default asset and are the smallest of all that apply."""

    agent: AgentItem
    network: str | None
    asset: str | None
    perCallMaxAmount: str | None
    dailyMaxAmount: str | None
    remainingToday: str | None
    allowedNetworks: list[str]
    allowedAssets: list[str]
    allowedAssetDetails: list[AllowedAsset]
    limits: list[LimitItem]
