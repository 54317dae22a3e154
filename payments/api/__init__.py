"""The REST door of Payments: what the agent of a key may spend."""

from __future__ import annotations

from payments.api.budgets import router

__all__ = ["router"]
