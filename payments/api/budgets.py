"""Budgets of the key's agent. Those of another agent do not exist for it; of a level above it has the names only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from django.http import HttpRequest, HttpResponse
from ninja import Path, Router

from bazaar.catalog.supported import usable_networks
from lensproject.core import clock
from lensproject.core.callers import READ
from lensproject.core.errors import NotFound
from lensproject.core.rest import conditional
from lensproject.core.rest.keys import BearerKey, caller_of
from lensproject.core.rest.pagination import DEFAULT_LIMIT, Place, page_of_items
from lensproject.core.rest.routes import NOT_FOUND, reading
from lensproject.core.rest.schemas import Cursor, Limit
from payments.api.schemas import Budget, LimitDetail, LimitList
from payments.authentication.accounts import agent_of
from payments.budgets.inspection import inspect_budget, limit_item
from payments.budgets.standings import Standing, standings
from payments.policy.effective import effective_policy

router = Router(tags=["budgets"])
key = BearerKey(READ)
NO_AGENT: Mapping[int, str] = {403: "The key lacks the scope, or belongs to no agent."}


@reading(
    router,
    "/budget",
    response=Budget,
    operation_id="inspectBudget",
    summary="What the agent of the key may spend now",
    auth=key,
    errors=NO_AGENT,
)
def budget(request: HttpRequest) -> HttpResponse:
    """Effective values of all policies and budgets above the agent, then every limit: `inspect_budget` of MCP."""
    caller = caller_of(request)
    agent = agent_of(caller)
    item = inspect_budget(agent, effective_policy(agent), networks=caller.networks, at=clock.now())
    return conditional.answer(request, {"budget": item})


@reading(
    router,
    "/budgets",
    response=LimitList,
    operation_id="listBudgets",
    summary="Budgets that apply to the agent of the key, oldest first",
    auth=key,
    errors=NO_AGENT,
)
def budgets(request: HttpRequest, limit: Limit = DEFAULT_LIMIT, cursor: Cursor = None) -> HttpResponse:
    """Active budgets of the agent, its team and its organisation, on the networks of the key."""
    items = sorted((limit_item(each) for each in _of(request) if not each.is_part), key=lambda item: item["id"])
    page = page_of_items(items, key=lambda item: item["id"], place=Place("budgets"), cursor=cursor, limit=limit)
    return conditional.answer(request, {"budgets": page.rows, "nextCursor": page.next_cursor})


@reading(
    router,
    "/budgets/{budgetId}",
    response=LimitDetail,
    operation_id="getBudget",
    summary="One budget",
    auth=key,
    errors={**NO_AGENT, **NOT_FOUND},
)
def budget_by_id(request: HttpRequest, budget_id: Annotated[str, Path(alias="budgetId")]) -> HttpResponse:
    """An active budget that applies to the agent of the key. Any other is not found."""
    mine = [each for each in _of(request) if each.budget.public_id == budget_id]
    whole = next((each for each in mine if not each.is_part), None)
    if whole is None:
        raise NotFound("There is no such budget, or it is not yours.", details={"budgetId": budget_id[:64]})
    parts = [limit_item(each) for each in mine if each.is_part]
    return conditional.answer(request, {"budget": limit_item(whole), "each": parts})


def _of(request: HttpRequest) -> list[Standing]:
    caller = caller_of(request)
    names = [network.name for network in usable_networks(caller)]
    return standings(agent_of(caller), names, clock.now())
