from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from payments.models import Agent, Policy, PolicyAsset
from payments.policy.allowed_assets import set_allowed_assets
from payments.policy.versions import create_draft
from tests.builders import make_agent, make_asset, make_policy
from tests.desk.forms import mistakes, send
from tests.desk.html import text

ADD = "/admin/payments/policy/add/"


def draft(agent: Agent, **over: Any) -> Policy:
    return create_draft({"agent": agent, **over}, assets=(), by=None, reason="test")


def page(policy: Policy, name: str = "change") -> str:
    return reverse(f"admin:payments_policy_{name}", args=(policy.pk,))


def allowed(policy: Policy) -> list[tuple[str, int, int | None]]:
    return list(policy.assets.order_by("id").values_list("asset__code", "per_call_maximum", "approve_above"))


def test_a_draft_is_made_with_its_assets(superuser: Client) -> None:
    agent, asset = make_agent(), make_asset("USDC")

    send(
        superuser, ADD, agent=agent.pk, networks="stellar:local, stellar:testnet", hosts="*", reason="first",
        **{"assets-0-asset": asset.pk, "assets-0-per_call_maximum": "2.5", "assets-0-approve_above": "1"},
    )  # fmt: skip

    policy = Policy.objects.get()
    assert (policy.state, policy.policy_version, policy.networks, policy.hosts, policy.sellers) == (
        "draft", 1, ["stellar:local", "stellar:testnet"], ["*"], [],
    )  # fmt: skip
    assert allowed(policy) == [("USDC", 25_000_000, 10_000_000)]
    assert (
        policy.history.first().history_change_reason
        == "first [USDC: not allowed → up to 2.50 a call, approval above 1.00]"
    )


def test_assets_of_a_draft_are_changed_and_the_history_says_how(superuser: Client) -> None:
    policy = draft(make_agent())
    kept, dropped = make_asset("KEPT"), make_asset("GONE")
    rows = [{"asset": kept, "per_call_maximum": 10_000_000}, {"asset": dropped, "per_call_maximum": 1}]
    set_allowed_assets(policy, rows, row_version=1, by=None, reason="test")

    send(
        superuser, page(policy), reason="cheaper",
        **{"assets-0-per_call_maximum": "0.5", "assets-1-DELETE": "on"},
    )  # fmt: skip

    assert allowed(policy) == [("KEPT", 5_000_000, None)]
    reason = policy.history.first().history_change_reason
    assert reason.startswith("cheaper [")
    assert "KEPT: up to 1.00 a call → up to 0.50 a call" in reason
    assert "GONE: up to 0.0000001 a call → not allowed" in reason


@pytest.mark.parametrize(
    ("maximum", "approval", "mistake"),
    [
        ("-1", "", "without sign"),
        ("0.00000001", "", "decimals"),
        ("1", "2", "at most the per-call maximum"),
        ("x", "", "plain"),
    ],
)
def test_wrong_amounts_change_nothing(superuser: Client, maximum: str, approval: str, mistake: str) -> None:
    policy = draft(make_agent())
    row = {"assets-0-asset": make_asset().pk, "assets-0-per_call_maximum": maximum, "assets-0-approve_above": approval}

    refused = send(superuser, page(policy), reason="x", hosts="a.example", **row)

    assert refused.status_code == 200
    assert mistake in refused.content.decode()
    assert not PolicyAsset.objects.exists()
    assert Policy.objects.get().hosts == []


def test_an_asset_twice_is_refused(superuser: Client) -> None:
    asset = make_asset()
    rows = {
        f"assets-{n}-{field}": value
        for n in (0, 1)
        for field, value in (("asset", asset.pk), ("per_call_maximum", "1"))
    }

    refused = send(superuser, ADD, agent=make_agent().pk, **rows, **{"assets-TOTAL_FORMS": "2"})

    assert refused.status_code == 200
    assert not Policy.objects.exists()


def test_a_row_keeps_its_asset_because_its_amounts_are_in_it(superuser: Client) -> None:
    policy, asset = draft(make_agent()), make_asset("USDC")
    set_allowed_assets(policy, [{"asset": asset, "per_call_maximum": 1}], row_version=1, by=None, reason="test")

    refused = send(superuser, page(policy), reason="x", **{"assets-0-asset": make_asset("EURC").pk})

    assert "take it off and add another one" in refused.content.decode()
    assert allowed(policy) == [("USDC", 1, None)]


def test_putting_a_draft_in_force_shows_the_difference_and_retires_the_old_version(superuser: Client) -> None:
    agent = make_agent()
    old = make_policy(agent, assets=[make_asset("USDC")])
    new = draft(agent, networks=["stellar:local"], hosts=["*"])

    shown = text(superuser.get(page(new, "publish")))
    assert "In force version 1 version 2" in shown
    assert "Networks all stellar:local" in shown
    assert "a call none" in shown
    send(superuser, page(new, "publish"), reason="tighter")

    assert list(Policy.objects.order_by("pk").values_list("pk", "state")) == [
        (old.pk, "retired"),
        (new.pk, "published"),
    ]


def test_what_was_in_force_is_only_looked_at(superuser: Client) -> None:
    policy = make_policy(assets=[make_asset("USDC")])

    shown = superuser.get(page(policy))

    assert b'name="_save"' not in shown.content
    assert "up to 1.00 USDC a call" in text(shown)
    answer = superuser.post(page(policy), {"hosts": "", "reason": "x", "row_version": "2"})
    assert answer.status_code == 403
    assert Policy.objects.get().hosts == ["*"]


def test_taking_out_of_force_says_that_nothing_is_spent(superuser: Client) -> None:
    policy = make_policy()

    assert "refused" in text(superuser.get(page(policy, "retire")))
    send(superuser, page(policy, "retire"), reason="ended")

    assert Policy.objects.get().state == "retired"


def test_a_policy_of_two_scopes_or_none_is_refused(superuser: Client) -> None:
    agent = make_agent()

    for scope in ({}, {"agent": agent.pk, "team": agent.team_id}):
        assert "exactly one" in mistakes(send(superuser, ADD, **scope))
    assert not Policy.objects.exists()
