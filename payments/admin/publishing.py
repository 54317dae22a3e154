"""Putting a policy version in force, and taking it out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lensproject.core.admin import Danger, Fact
from lensproject.core.admin.display import amount_text
from payments.models import Policy
from payments.policy.versions import publish, retire

State = Policy.State
LISTS = ("networks", "sellers", "hosts", "tools")


class PublishPolicy(Danger[Policy]):
    slug, label, done = "publish", "Put in force", "in force"
    permission = "payments.publish_policy"

    def unavailable(self, row: Policy) -> str | None:
        return None if row.state == State.DRAFT else "only a draft is put in force"

    def effect(self, row: Policy, answers: Mapping[str, Any]) -> Sequence[Fact]:
        """Field by field, what is allowed now and what this version allows."""
        old = Policy.objects.filter(**{row.scope: row.holder}, state=State.PUBLISHED).first()
        version = "nothing is in force" if old is None else f"version {old.policy_version}"
        return (
            Fact("In force", version, f"version {row.policy_version}"),
            *(Fact(name.capitalize(), _list(old, name), _list(row, name)) for name in LISTS),
            Fact("Assets", _assets(old), _assets(row)),
        )

    def act(self, row: Policy, answers: Mapping[str, Any], *, row_version: int, by: Any, reason: str) -> Any:
        return publish(row, row_version=row_version, by=by, reason=reason)


class RetirePolicy(Danger[Policy]):
    slug, label, done = "retire", "Take out of force", "retired"
    permission = "payments.publish_policy"

    def unavailable(self, row: Policy) -> str | None:
        return None if row.state == State.PUBLISHED else "only the version in force is retired"

    def effect(self, row: Policy, answers: Mapping[str, Any]) -> Sequence[Fact]:
        return (
            Fact("In force", f"version {row.policy_version}", "nothing"),
            Fact(f"Spending of {row.holder}", "as this version allows", "refused, unless a policy above allows it"),
        )

    def act(self, row: Policy, answers: Mapping[str, Any], *, row_version: int, by: Any, reason: str) -> Any:
        return retire(row, row_version=row_version, by=by, reason=reason)


def _list(policy: Policy | None, name: str) -> str:
    names = [] if policy is None else getattr(policy, name)
    return "all" if "*" in names else ", ".join(map(str, names)) or "none"


def _assets(policy: Policy | None) -> str:
    rows = [] if policy is None else policy.assets.select_related("asset__network").order_by("asset_id")
    return (
        "; ".join(f"{row.asset}, up to {amount_text(row.per_call_maximum, row.asset)} a call" for row in rows) or "none"
    )
