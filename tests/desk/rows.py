"""One more row of every model that the desk has a page for."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from axes.models import AccessAttempt, AccessFailureLog
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import Group, User
from django.contrib.contenttypes.models import ContentType
from django.db.models import Model
from django_tasks_db.models import DBTaskResult

from bazaar.models import Asset, CatalogEntry, Market, Network, Pair, PaymentOption, Seller, SellerAddress, Venue
from lensproject.core import clock
from mcp_bridge.models import Change
from payments.models import (
    Agent,
    ApiKey,
    Budget,
    BudgetWindow,
    FacilitatorSettlement,
    Organisation,
    PayerAccount,
    Policy,
    SettlementAttempt,
    SourceAccount,
    Team,
)
from tests import builders
from tests.builders.networks import PASSPHRASES
from tests.builders.numbers import number


def _network() -> Network:
    """There are three names at most, so from the fourth on it is one that is there."""
    missing = [name for name in PASSPHRASES if not Network.objects.filter(name=name).exists()]
    return builders.make_network(missing[0] if missing else "stellar:local")


def _entry() -> CatalogEntry:
    return builders.make_entry(seller=builders.make_seller(owner=builders.make_user()))


def _key() -> ApiKey:
    return builders.make_key(expires_at=clock.now() + timedelta(days=3), allowed_ips=["10.0.0.0/8"])[0]


def _budget() -> Budget:
    scopes: list[Callable[[], dict[str, Any]]] = [
        lambda: {"agent": builders.make_agent()},
        lambda: {"team": builders.make_team()},
        lambda: {"organisation": builders.make_organisation()},
    ]
    budget = builders.make_budget(**scopes[number() % 3]())
    builders.make_budget_window(budget, spent=30_000_000, held=10_000_000)
    return budget


def _window() -> BudgetWindow:
    return BudgetWindow.objects.get(budget=_budget())


def _log_entry() -> LogEntry:
    return LogEntry.objects.create(
        user=builders.make_user(),
        content_type=ContentType.objects.get_for_model(Pair),
        object_id="1",
        object_repr="XLM/USDC",
        action_flag=CHANGE,
        change_message='[{"changed": {"fields": ["Enabled"]}}, {"reason": "too thin"}]',
    )


def _change() -> Change:
    return Change.objects.create(topic="lens.pairs", key=f"key-{number()}", changed_at=clock.now())


def _task() -> Any:
    now = clock.now()
    return DBTaskResult.objects.create(
        status="FAILED", args_kwargs={"args": [], "kwargs": {}}, task_path="bazaar.tasks.import_catalog",
        worker_ids=["w1"], backend_name="default", run_after=now, started_at=now, finished_at=now,
        exception_class_path="builtins.ValueError", traceback="Traceback …",
    )  # fmt: skip


def _attempt() -> Any:
    return AccessAttempt.objects.create(
        username=f"user{number()}", ip_address="127.0.0.1", user_agent="", failures_since_start=11
    )


def _failure() -> Any:
    return AccessFailureLog.objects.create(username=f"user{number()}", ip_address="127.0.0.1", locked_out=True)


MAKE: dict[type[Model], Callable[[], Any]] = {
    AccessAttempt: _attempt,
    AccessFailureLog: _failure,
    Agent: builders.make_agent,
    ApiKey: _key,
    Asset: builders.make_asset,
    Budget: _budget,
    BudgetWindow: _window,
    CatalogEntry: _entry,
    Change: _change,
    DBTaskResult: _task,
    FacilitatorSettlement: builders.make_settlement,
    Group: lambda: Group.objects.create(name=f"Group {number()}"),
    LogEntry: _log_entry,
    Market: builders.make_market,
    Network: _network,
    Organisation: builders.make_organisation,
    Pair: builders.make_pair,
    PayerAccount: builders.make_payer_account,
    PaymentOption: builders.make_option,
    Policy: lambda: builders.make_policy(assets=[builders.make_asset()]),
    Seller: builders.make_seller,
    SellerAddress: builders.make_seller_address,
    SettlementAttempt: builders.make_attempt,
    SourceAccount: builders.make_source_account,
    Team: builders.make_team,
    User: builders.make_user,
    Venue: builders.make_venue,
}
"""Model → a function that makes one more row of it, whole and unlike the others."""
