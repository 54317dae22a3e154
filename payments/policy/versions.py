"""The versions of a policy: drafted, put in force, retired. At most one of a scope is in force."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max

from lensproject.core import curation
from payments.models import Policy, PolicyAsset

if TYPE_CHECKING:
    from django.contrib.auth.models import User

State = Policy.State


def create_draft(
    values: Mapping[str, Any], *, assets: Sequence[Mapping[str, Any]], by: User | None, reason: str
) -> Policy:
    """A draft with the next version number of its scope. `assets`: asset, per_call_maximum, approve_above in units."""
    policy = Policy(**{**values, "state": State.DRAFT})
    with transaction.atomic():
        policy.policy_version = 1 + (_siblings(policy).aggregate(newest=Max("policy_version"))["newest"] or 0)
        curation.create(policy, by=by, reason=reason)
        for row in assets:
            allowed = PolicyAsset(policy=policy, **row)
            allowed.full_clean()
            allowed.save()
    return policy


def revise_draft(
    policy: Policy, changes: Mapping[str, Any], *, row_version: int, by: User | None, reason: str
) -> Policy:
    """Change a draft. What was in force once is never changed: decisions were made by it."""
    if policy.state != State.DRAFT:
        raise ValidationError("Only a draft is changed; draft a new version.", code="not_a_draft")
    return curation.revise(policy, changes, row_version=row_version, by=by, reason=reason)


def publish(policy: Policy, *, row_version: int, by: User | None, reason: str) -> Policy:
    """Put a draft in force; the version that was in force retires in the same transaction."""
    if policy.state != State.DRAFT:
        raise ValidationError("Only a draft is put in force.", code="not_a_draft")
    with transaction.atomic():
        for old in _siblings(policy).filter(state=State.PUBLISHED):
            curation.revise(old, {"state": State.RETIRED}, row_version=old.row_version, by=by, reason=reason)
        return curation.revise(policy, {"state": State.PUBLISHED}, row_version=row_version, by=by, reason=reason)


def retire(policy: Policy, *, row_version: int, by: User | None, reason: str) -> Policy:
    """Take a version out of force. With no policy in force, nothing is spent under this scope."""
    if policy.state != State.PUBLISHED:
        raise ValidationError("Only a version in force is retired.", code="not_in_force")
    return curation.revise(policy, {"state": State.RETIRED}, row_version=row_version, by=by, reason=reason)


def _siblings(policy: Policy) -> Any:
    return Policy.objects.filter(**{policy.scope: policy.holder})
