from __future__ import annotations

from payments.models.agents import Agent, ApiKey, ApiKeyNetwork, PayerAccount
from payments.models.budgets import Budget, BudgetWindow
from payments.models.organisations import Organisation, Team
from payments.models.policies import Policy, PolicyAsset
from payments.models.settlements import FacilitatorSettlement, SettlementAttempt, SourceAccount

__all__ = [
    "Agent",
    "ApiKey",
    "ApiKeyNetwork",
    "Budget",
    "BudgetWindow",
    "FacilitatorSettlement",
    "Organisation",
    "PayerAccount",
    "Policy",
    "PolicyAsset",
    "SettlementAttempt",
    "SourceAccount",
    "Team",
]
