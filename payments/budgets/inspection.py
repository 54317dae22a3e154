"""What an agent may know of its budget (`inspect_budget`, `/api/v1/budget`): effective values, then every limit."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Protocol

from bazaar.catalog.supported import asset_detail
from bazaar.models import Asset, Network
from lensproject.core.amounts import Amount
from lensproject.core.clock import iso
from payments.budgets.shapes import AgentItem, AllowedAsset, BudgetItem, LimitItem
from payments.budgets.standings import Standing, standings
from payments.models import Agent, Budget

Window = Budget.Window


class Names(Protocol):
    def allows(self, name: str) -> bool: ...


class Rule(Protocol):
    @property
    def per_call_maximum(self) -> int: ...

    @property
    def approve_above(self) -> int | None: ...


class Rules(Protocol):
    """What the policies above the agent allow together, as `payments.policy.effective` combines them."""

    @property
    def networks(self) -> Names: ...

    @property
    def assets(self) -> Mapping[int, Rule]: ...


def inspect_budget(agent: Agent, rules: Rules, *, networks: Collection[str], at: datetime) -> BudgetItem:
    """What the agent may spend at this instant on those of these networks (the key's) that are enabled."""
    usable = set(Network.objects.filter(name__in=networks, enabled=True).values_list("name", flat=True))
    allowed = sorted(name for name in usable if rules.networks.allows(name))
    known = standings(agent, usable, at)
    assets = _allowed_assets(rules, allowed)
    default = _default_asset(agent, usable)
    return {
        "agent": agent_item(agent),
        "network": default.network.name if default else None,
        "asset": default.code if default else None,
        "perCallMaxAmount": _text(_per_call(default, rules, known), default),
        "dailyMaxAmount": _text(_least(day.limit for day in _days(default, known)), default),
        "remainingToday": _text(_least(day.remaining for day in _days(default, known)), default),
        "allowedNetworks": allowed,
        "allowedAssets": sorted({asset["code"] for asset in assets}),
        "allowedAssetDetails": assets,
        "limits": [limit_item(standing) for standing in known],
    }


def agent_item(agent: Agent) -> AgentItem:
    return {"id": agent.public_id, "name": agent.name, "state": agent.state}


def limit_item(standing: Standing) -> LimitItem:
    """One limit. An agent sees amounts of its own level; of a level above it, that there is one and its name."""
    budget = standing.budget
    is_own = budget.agent_id is not None
    counted = is_own and standing.is_counted
    key = standing.window.cross_key if standing.window and standing.is_part else budget.cross_key
    return {
        "id": budget.public_id,
        "name": str(budget),
        "scope": budget.scope,
        "network": budget.asset.network.name,
        "asset": budget.asset.code,
        "window": budget.window,
        "cross": budget.cross,
        "crossKey": (key or None) if is_own else None,
        "limit": _text(standing.limit if is_own else None, budget.asset),
        "spent": _text(standing.spent if counted else None, budget.asset),
        "held": _text(standing.held if counted else None, budget.asset),
        "remaining": _text(standing.remaining if counted else None, budget.asset),
        "resetsAt": None if standing.resets_at is None else iso(standing.resets_at),
    }


def _default_asset(agent: Agent, networks: Collection[str]) -> Asset | None:
    asset = agent.default_asset
    return asset if asset is not None and asset.enabled and asset.network.name in networks else None


def _per_call(asset: Asset | None, rules: Rules, known: Iterable[Standing]) -> int | None:
    """The smallest of what the policies allow a call and of the budgets per call."""
    if asset is None:
        return None
    calls = (s.limit for s in known if s.is_general and s.budget.window == Window.CALL and s.budget.asset == asset)
    rule = rules.assets.get(asset.pk)
    return _least([*calls, *([] if rule is None else [rule.per_call_maximum])])


def _days(asset: Asset | None, known: Iterable[Standing]) -> list[Standing]:
    """Today's windows that bind whatever is bought in the asset."""
    return [s for s in known if s.is_general and s.budget.window == Window.DAY and s.budget.asset == asset]


def _allowed_assets(rules: Rules, networks: Collection[str]) -> list[AllowedAsset]:
    assets = Asset.objects.filter(pk__in=rules.assets, enabled=True, network__name__in=networks)
    found = sorted(assets.select_related("network"), key=lambda asset: (asset.network.name, asset.code, asset.pk))
    return [_allowed_asset(asset, rules.assets[asset.pk]) for asset in found]


def _allowed_asset(asset: Asset, rule: Rule) -> AllowedAsset:
    return {
        **asset_detail(asset),
        "network": asset.network.name,
        "perCallMaxAmount": Amount(rule.per_call_maximum, asset.decimals).short(),
        "approvalAbove": _text(rule.approve_above, asset),
    }


def _least(values: Iterable[int]) -> int | None:
    return min(values, default=None)


def _text(units: int | None, asset: Asset | None) -> str | None:
    return None if units is None or asset is None else Amount(units, asset.decimals).short()
