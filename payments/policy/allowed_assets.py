"""The assets that a draft allows, with the most for one call and the amount above which a person approves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ValidationError
from django.db import transaction

from bazaar.models import Asset
from lensproject.core import curation
from lensproject.core.amounts import Amount
from payments.models import Policy, PolicyAsset

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def set_allowed_assets(
    policy: Policy, assets: Sequence[Mapping[str, Any]], *, row_version: int, by: User | None, reason: str
) -> Policy:
    """Make these the assets of a draft: asset, per_call_maximum, approve_above in units. The history says what changed.

    Raises ValidationError for a policy that is no draft and for amounts that do not fit, StaleVersion when it moved on.
    """
    if policy.state != Policy.State.DRAFT:
        raise ValidationError("Only a draft is changed; draft a new version.", code="not_a_draft")
    with transaction.atomic():
        held = {row.asset_id: row for row in policy.assets.select_related("asset")}
        wanted = {row.asset_id: row for row in (PolicyAsset(policy=policy, **values) for values in assets)}
        if len(wanted) != len(assets):
            raise ValidationError("An asset stands in the policy once.", code="asset_twice")
        differences = list(_differences(held, wanted))
        if not differences:
            return policy
        policy.assets.all().delete()
        for row in wanted.values():
            row.full_clean()
            row.save()
        told = f"{reason} [{'; '.join(differences)}]"
        return curation.mark_revised(policy, row_version=row_version, by=by, reason=told)


def _differences(held: Mapping[int, PolicyAsset], wanted: Mapping[int, PolicyAsset]) -> Iterator[str]:
    for key in sorted({*held, *wanted}):
        before, after = _terms(held.get(key)), _terms(wanted.get(key))
        if before != after:
            asset = (wanted.get(key) or held[key]).asset
            yield f"{asset.code}: {before} → {after}"


def _terms(row: PolicyAsset | None) -> str:
    if row is None:
        return "not allowed"
    approval = "" if row.approve_above is None else f", approval above {_text(row.approve_above, row.asset)}"
    return f"up to {_text(row.per_call_maximum, row.asset)} a call{approval}"


def _text(units: int, asset: Asset) -> str:
    return Amount(units, asset.decimals).short()
