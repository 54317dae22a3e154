from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError

from lensproject.core.errors import StaleVersion
from payments.models import Policy
from payments.policy.allowed_assets import set_allowed_assets
from payments.policy.versions import create_draft
from tests.builders import make_agent, make_asset, make_policy

pytestmark = pytest.mark.django_db


def draft(**row: object) -> Policy:
    return create_draft({"agent": make_agent()}, assets=[row] if row else (), by=None, reason="test")


def test_rows_replace_what_was_there_in_one_revision() -> None:
    old, new = make_asset("OLD"), make_asset("NEW")
    policy = draft(asset=old, per_call_maximum=1)

    revised = set_allowed_assets(policy, [{"asset": new, "per_call_maximum": 2}], row_version=1, by=None, reason="why")

    assert list(policy.assets.values_list("asset", "per_call_maximum")) == [(new.pk, 2)]
    assert revised.row_version == 2
    assert policy.history.first().history_change_reason == (
        "why [OLD: up to 0.0000001 a call → not allowed; NEW: not allowed → up to 0.0000002 a call]"
    )


def test_the_same_rows_again_are_no_revision() -> None:
    asset = make_asset()
    policy = draft(asset=asset, per_call_maximum=1)

    same = set_allowed_assets(policy, [{"asset": asset, "per_call_maximum": 1}], row_version=1, by=None, reason="why")

    assert (same.row_version, policy.history.count()) == (1, 1)


def test_a_stale_version_changes_nothing() -> None:
    asset = make_asset()
    policy = draft(asset=asset, per_call_maximum=1)

    with pytest.raises(StaleVersion):
        set_allowed_assets(policy, [], row_version=7, by=None, reason="why")

    assert list(policy.assets.values_list("asset", "per_call_maximum")) == [(asset.pk, 1)]


def test_a_version_in_force_is_never_changed() -> None:
    asset = make_asset()
    policy = make_policy(assets=[asset])

    with pytest.raises(ValidationError, match="Only a draft is changed"):
        set_allowed_assets(policy, [], row_version=policy.row_version, by=None, reason="why")

    assert policy.assets.count() == 1


def test_an_asset_stands_once_and_amounts_fit() -> None:
    asset = make_asset()
    policy = draft(asset=asset, per_call_maximum=1)
    twice = [{"asset": asset, "per_call_maximum": 1}, {"asset": asset, "per_call_maximum": 2}]

    with pytest.raises(ValidationError, match="once"):
        set_allowed_assets(policy, twice, row_version=1, by=None, reason="why")
    row = {"asset": asset, "per_call_maximum": 1, "approve_above": 2}
    with pytest.raises(ValidationError, match="per-call maximum"):
        set_allowed_assets(policy, [row], row_version=1, by=None, reason="why")

    assert list(policy.assets.values_list("per_call_maximum", "approve_above")) == [(1, None)]
    assert Policy.objects.get().row_version == 1
