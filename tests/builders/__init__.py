"""Rows for tests, through the services where they have one: `make_pair(enabled=False)` is a whole, valid pair."""

from __future__ import annotations

from tests.builders.catalog import make_entry, make_option, make_seller, make_seller_address
from tests.builders.markets import make_market, make_pair, make_venue
from tests.builders.networks import make_asset, make_network
from tests.builders.payments import (
    make_agent,
    make_budget,
    make_budget_window,
    make_key,
    make_organisation,
    make_payer_account,
    make_policy,
    make_team,
    make_user,
)
from tests.builders.settlements import make_attempt, make_settlement, make_source_account

__all__ = [
    "make_agent",
    "make_asset",
    "make_attempt",
    "make_budget",
    "make_budget_window",
    "make_entry",
    "make_key",
    "make_market",
    "make_network",
    "make_option",
    "make_organisation",
    "make_pair",
    "make_payer_account",
    "make_policy",
    "make_seller",
    "make_seller_address",
    "make_settlement",
    "make_source_account",
    "make_team",
    "make_user",
    "make_venue",
]
