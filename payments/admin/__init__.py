"""The operator's pages of organisations, agents, keys, policies and budgets."""

from __future__ import annotations

from payments.admin import agents, budgets, keys, organisations, payer_accounts, policies, windows

__all__ = ["agents", "budgets", "keys", "organisations", "payer_accounts", "policies", "windows"]
