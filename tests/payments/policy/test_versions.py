"""Versions of a policy: drafted, put in force, retired. What was in force once never changes."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import ValidationError

from lensproject.core.errors import StaleVersion
from payments.models import Policy
from payments.policy.versions import create_draft, publish, retire, revise_draft
from tests.builders import make_agent, make_asset, make_policy, make_team

pytestmark = pytest.mark.django_db
WHY: dict[str, Any] = {"by": None, "reason": "test"}


def states(**scope: Any) -> list[tuple[int, str]]:
    return list(Policy.objects.filter(**scope).order_by("policy_version").values_list("policy_version", "state"))


def test_versions_count_within_a_scope() -> None:
    agent, team = make_agent(), make_team()
    assert create_draft({"agent": agent}, assets=[], **WHY).policy_version == 1
    assert create_draft({"agent": agent}, assets=[], **WHY).policy_version == 2
    assert create_draft({"team": team}, assets=[], **WHY).policy_version == 1


def test_publishing_retires_the_version_in_force() -> None:
    agent = make_agent()
    make_policy(agent)
    publish(create_draft({"agent": agent}, assets=[], **WHY), row_version=1, **WHY)
    assert states(agent=agent) == [(1, "retired"), (2, "published")]


def test_retiring_leaves_none_in_force() -> None:
    agent = make_agent()
    policy = make_policy(agent)
    retire(policy, row_version=policy.row_version, **WHY)
    assert states(agent=agent) == [(1, "retired")]


def test_only_a_draft_changes() -> None:
    policy = make_policy(make_agent())
    with pytest.raises(ValidationError, match="Only a draft is changed"):
        revise_draft(policy, {"networks": []}, row_version=policy.row_version, **WHY)
    with pytest.raises(ValidationError, match="Only a draft is put in force"):
        publish(policy, row_version=policy.row_version, **WHY)
    assert Policy.objects.get(pk=policy.pk).networks == ["*"]


def test_a_draft_is_revised() -> None:
    draft = create_draft({"agent": make_agent()}, assets=[], **WHY)
    revised = revise_draft(draft, {"networks": ["stellar:local"]}, row_version=1, **WHY)
    assert (revised.networks, revised.row_version) == (["stellar:local"], 2)
    with pytest.raises(ValidationError, match="Only a version in force"):
        retire(revised, row_version=2, **WHY)


def test_a_stale_publication_leaves_the_old_version_in_force() -> None:
    agent = make_agent()
    make_policy(agent)
    draft = create_draft({"agent": agent}, assets=[], **WHY)
    revise_draft(draft, {"networks": ["*"]}, row_version=1, **WHY)
    with pytest.raises(StaleVersion):
        publish(draft, row_version=1, **WHY)
    assert states(agent=agent) == [(1, "published"), (2, "draft")]


def test_an_approval_limit_above_the_maximum_drafts_nothing() -> None:
    rows = [{"asset": make_asset(), "per_call_maximum": 5, "approve_above": 6}]
    with pytest.raises(ValidationError, match="at most the per-call maximum"):
        create_draft({"agent": make_agent()}, assets=rows, **WHY)
    assert not Policy.objects.exists()
