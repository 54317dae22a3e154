"""The shapes of budgets at the REST door, those of `payments.budgets.shapes`. Amounts are text, never numbers."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from bazaar.api.schemas import NEXT_CURSOR, USDC, AssetDetail
from lensproject.core.rest.schemas import Closed


class AgentItem(Closed):
    id: str = Field(examples=["agent_01931b0e8c5d7a3f9f1c2e4b5a6d7c8e"])
    name: str = Field(examples=["Scout"])
    state: Literal["active", "paused", "closed"] = Field(description="Only an active agent spends.")


class AllowedAsset(AssetDetail):
    network: str = Field(examples=["stellar:testnet"])
    perCallMaxAmount: str = Field(examples=["0.10"])
    approvalAbove: str | None = Field(description="Above it a person approves; null: never.", examples=[None])


class LimitItem(Closed):
    """One limit that applies to the agent. Of a level above the agent only its name is shown, no amounts."""

    id: str = Field(examples=["budget_01931b0e8c5d7a3f9f1c2e4b5a6d7c8e"])
    name: str = Field(examples=["Day budget of Scout in USDC"])
    scope: Literal["organisation", "team", "agent"]
    network: str = Field(examples=["stellar:testnet"])
    asset: str = Field(examples=["USDC"])
    window: Literal["call", "minute", "hour", "day", "week", "month", "total"]
    cross: Literal["none", "seller", "origin", "tool", "each_seller", "each_origin", "each_tool"]
    crossKey: str | None = Field(description="The seller, origin or tool that it is about.", examples=[None])
    limit: str | None = Field(examples=["5.00"])
    spent: str | None = Field(description="Null for `call` and for limits of “each”.", examples=["0.25"])
    held: str | None = Field(description="By payments that are under way.", examples=["0.00"])
    remaining: str | None = Field(examples=["4.75"])
    resetsAt: str | None = Field(description="When the next window begins.", examples=["2026-12-01T00:00:00.000Z"])


class BudgetItem(Closed):
    """What the agent may spend. The three amounts speak of its default asset and are the smallest of all that apply."""

    agent: AgentItem
    network: str | None = Field(examples=["stellar:testnet"])
    asset: str | None = Field(examples=["USDC"])
    perCallMaxAmount: str | None = Field(examples=["0.10"])
    dailyMaxAmount: str | None = Field(examples=["5.00"])
    remainingToday: str | None = Field(examples=["4.75"])
    allowedNetworks: list[str] = Field(examples=[["stellar:testnet"]])
    allowedAssets: list[str] = Field(description="Codes.", examples=[["USDC"]])
    allowedAssetDetails: list[AllowedAsset] = Field(description=f"`asset` is a full name such as {USDC}.")
    limits: list[LimitItem]


class Budget(Closed):
    budget: BudgetItem


class LimitList(Closed):
    budgets: list[LimitItem]
    nextCursor: str | None = NEXT_CURSOR


class LimitDetail(Closed):
    """One budget. `each` has what was paid in its window, by seller, origin or tool, where it is one of “each”."""

    budget: LimitItem
    each: list[LimitItem]
