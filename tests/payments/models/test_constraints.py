"""Each constraint and guard of the payment tables, shown refusing by the database itself."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import models

from bazaar.models import Asset
from lensproject.core import clock
from payments.models import (
    Agent,
    ApiKey,
    ApiKeyNetwork,
    Budget,
    BudgetWindow,
    FacilitatorSettlement,
    Organisation,
    PayerAccount,
    Policy,
    PolicyAsset,
    SettlementAttempt,
    Team,
)
from tests.builders import (
    make_agent,
    make_asset,
    make_attempt,
    make_budget,
    make_budget_window,
    make_key,
    make_organisation,
    make_payer_account,
    make_policy,
    make_settlement,
    make_source_account,
    make_team,
)
from tests.constraints import Case, assert_refused, beside, like, names_to_refuse, over


def key() -> ApiKey:
    return make_key()[0]


def key_network() -> ApiKeyNetwork:
    return ApiKeyNetwork.objects.get(api_key=key())


def allowed_asset() -> PolicyAsset:
    return PolicyAsset.objects.get(policy=make_policy(assets=[make_asset()]))


def other_team(_: Any) -> dict[str, Any]:
    return {"team": make_team()}


def other_agent(_: Any) -> dict[str, Any]:
    return {"key_id": "another", "agent_id": make_agent().pk}


def policy_in_force_of(scope: str, build: Callable[[], models.Model]) -> Case:
    """A second version in force of the same scope."""

    def row() -> Policy:
        holder: Any = build()
        return make_policy(holder) if scope == "agent" else make_policy(None, **{scope: holder})

    return Case(row, lambda _: {"policy_version": 2}, inserting=True)


def version_again_of(scope: str, build: Callable[[], models.Model]) -> Case:
    case = policy_in_force_of(scope, build)
    return Case(case.row, lambda _: {"state": "retired"}, inserting=True)


def settled() -> FacilitatorSettlement:
    ended = {"state": "settled", "holder": "", "leased_until": None, "ended_at": clock.now()}
    return make_settlement(**ended, transaction="ab" * 32, ledger=1_003)


def failed() -> FacilitatorSettlement:
    return make_settlement(state="failed", holder="", leased_until=None, ended_at=clock.now(), reason="why")


def ended_attempt() -> SettlementAttempt:
    return make_attempt(state="failed", envelope="", fee_charged=100, ended_at=clock.now())


def another_source(row: SettlementAttempt) -> dict[str, Any]:
    return {"inner_hash": "another", "source_account_id": make_source_account().pk}


def another_settlement(row: SettlementAttempt) -> dict[str, Any]:
    return {"inner_hash": "another", "settlement_id": make_settlement().pk}


CASES: dict[str, Case] = {
    "organisation_name_given": over(make_organisation, name=""),
    "team_name_given": over(make_team, name=""),
    "team_name_once": beside(make_team),
    "team_organisation_fixed": Case(make_team, lambda _: {"organisation": make_organisation()}),
    "agent_name_once": Case(make_agent, lambda _: {"public_id": "agent_other"}, inserting=True),
    "agent_name_given": over(make_agent, name=""),
    "agent_state_known": over(make_agent, state="asleep"),
    "agent_team_fixed": Case(make_agent, other_team),
    "payer_account_once": like(make_payer_account, "address"),
    "payer_account_address_given": over(make_payer_account, address=""),
    "payer_account_mode_known": over(make_payer_account, mode="nobody"),
    "api_key_name_given": over(key, name=""),
    "api_key_has_a_secret": over(key, digest=""),
    "api_key_pay_needs_agent": beside(key, key_id="another", agent_id=None, can_pay=True),
    "api_key_catalog_write_needs_seller": over(key, can_write_catalog=True),
    "api_key_facilitator_needs_seller": over(key, can_settle=True),
    "api_key_has_a_scope": over(key, can_read=False),
    "api_key_agent_of_its_organisation": Case(key, other_agent, inserting=True),
    "api_key_holder_fixed": over(key, agent=None),
    "api_key_network_once": beside(key_network),
    "policy_of_exactly_one_scope": Case(make_policy, lambda _: {"team": make_team()}),
    "policy_state_known": over(make_policy, state="wished"),
    "policy_version_positive": over(make_policy, policy_version=0),
    "policy_version_once_per_organisation": version_again_of("organisation", make_organisation),
    "policy_version_once_per_team": version_again_of("team", make_team),
    "policy_version_once_per_agent": version_again_of("agent", make_agent),
    "policy_one_in_force_per_organisation": policy_in_force_of("organisation", make_organisation),
    "policy_one_in_force_per_team": policy_in_force_of("team", make_team),
    "policy_one_in_force_per_agent": policy_in_force_of("agent", make_agent),
    "policy_asset_once": beside(allowed_asset),
    "policy_asset_per_call_maximum_not_negative": over(allowed_asset, per_call_maximum=-1),
    "policy_asset_approval_within_maximum": over(allowed_asset, per_call_maximum=5, approve_above=6),
    "budget_of_exactly_one_scope": beside(make_budget, public_id="budget_other", agent_id=None),
    "budget_limit_not_negative": over(make_budget, limit=-1),
    "budget_window_known": beside(make_budget, public_id="budget_other", window="year"),
    "budget_state_known": over(make_budget, state="lost"),
    "budget_zone_given": beside(make_budget, public_id="budget_other", zone=""),
    "budget_cross_key_fits_cross": beside(make_budget, public_id="budget_other", cross="seller"),
    "budget_shape_fixed": over(make_budget, window="week"),
    "budget_window_once": beside(make_budget_window),
    "budget_window_spent_not_negative": over(make_budget_window, spent=-1),
    "budget_window_held_not_negative": over(make_budget_window, held=-1),
    "budget_window_within_limit": over(make_budget_window, limit=10, spent=6, held=5),
    "budget_window_not_empty": beside(
        make_budget_window, label="other", starts_at=clock.now(), ends_at=clock.now() - timedelta(days=1)
    ),
    "budget_window_label_given": beside(make_budget_window, label=""),
    "budget_window_shape_fixed": over(make_budget_window, label="2020-01-01"),
}

CASES |= {
    "source_account_once": beside(make_source_account),
    "source_account_address_given": beside(make_source_account, address=""),
    "source_account_key_is_a_file_name": beside(make_source_account, address="G", key_name="../secret_key"),
    "source_account_state_known": over(make_source_account, state="lost"),
    "source_account_lease_whole": over(make_source_account, holder="settlement_1"),
    "source_account_identity_fixed": over(make_source_account, key_name="another"),
    "settlement_nonce_once": beside(make_settlement, public_id="settlement_other"),
    "settlement_state_known": over(failed, state="lost"),
    "settlement_amount_positive": beside(make_settlement, public_id="settlement_other", nonce=0, units=0),
    "settlement_payer_is_not_payee": Case(
        make_settlement, lambda row: {"public_id": "settlement_other", "pay_to": row.payer, "nonce": 0}, inserting=True
    ),
    "settlement_hashes_given": over(make_settlement, requirements_hash=""),
    "settlement_worked_on_until_it_ended": over(make_settlement, leased_until=None),
    "settlement_settled_by_a_transaction": over(settled, transaction=""),
    "settlement_failed_for_a_reason": over(make_settlement, reason="why"),
    "settlement_identity_fixed": over(make_settlement, units=20_000),
    "settlement_end_is_final": over(settled, state="failed", reason="why", transaction="", ledger=None),
    "settlement_attempt_one_open": Case(make_attempt, another_source, inserting=True),
    "settlement_attempt_one_open_per_account": Case(make_attempt, another_settlement, inserting=True),
    "settlement_attempt_state_known": over(make_attempt, state="lost", envelope="", ended_at=clock.now()),
    "settlement_attempt_kept_until_it_ended": over(make_attempt, envelope=""),
    "settlement_attempt_hash_once": beside(ended_attempt),
    "settlement_attempt_hash_given": beside(ended_attempt, inner_hash=""),
    "settlement_attempt_fee_ceiling_positive": beside(ended_attempt, inner_hash="another", fee_ceiling=0),
    "settlement_attempt_fee_charged_when_applied": over(ended_attempt, fee_charged=None),
    "settlement_attempt_identity_fixed": over(make_attempt, sequence=0),
    "settlement_attempt_end_is_final": over(ended_attempt, state="refused", fee_charged=None),
}


def test_every_constraint_and_guard_has_a_case() -> None:
    assert set(CASES) == names_to_refuse("payments")


@pytest.mark.django_db
@pytest.mark.parametrize("name", sorted(CASES))
def test_the_database_refuses(name: str) -> None:
    assert_refused(name, CASES[name])


@pytest.mark.django_db
def test_a_window_never_passes_its_limit_by_one_unit() -> None:
    window = make_budget_window(limit=10, spent=4, held=6)
    assert BudgetWindow.objects.get(pk=window.pk).held == 6
    assert_refused("budget_window_within_limit", Case(lambda: window, lambda _: {"held": 7}))


@pytest.mark.django_db
def test_the_largest_amounts_do_not_overflow_the_check() -> None:
    top = 2**63 - 1
    window = make_budget_window(limit=top, spent=top, held=0)
    assert_refused("budget_window_within_limit", Case(lambda: window, lambda _: {"held": top}))


@pytest.mark.django_db
@pytest.mark.parametrize("model", [Organisation, Team, Agent, PayerAccount, ApiKey, Policy, Budget, Asset])
def test_curated_models_keep_a_history(model: Any) -> None:
    assert model.history.model.__name__ == f"Historical{model.__name__}"
