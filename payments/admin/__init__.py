"""The operator's pages of organisations, agents, keys, policies, budgets and settlements."""

from __future__ import annotations

from payments.admin import agents, budgets, keys, organisations, payer_accounts, policies, settlements, windows

__all__ = ["agents", "budgets", "keys", "organisations", "payer_accounts", "policies", "settlements", "windows"]
