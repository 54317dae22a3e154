"""The roles that come ready, and what docs/admin.md says of them."""

from __future__ import annotations

import re
from pathlib import Path

from django.apps import apps
from django.contrib.auth.models import Group, Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from lensproject.desk.roles import ROLES, set_roles
from tests.builders import make_agent, make_pair
from tests.desk.people import signed_in

DOCS = Path(__file__).parents[2] / "docs" / "admin.md"
OURS = ("bazaar", "payments", "mcp_bridge")


def permissions_of(role: str) -> set[str]:
    rows = Group.objects.get(name=role).permissions.values_list("content_type__app_label", "codename")
    return {f"{app}.{codename}" for app, codename in rows}


def own_permissions() -> set[str]:
    """Those that our models declare beside Django's four."""
    models = [model for app in OURS for model in apps.get_app_config(app).get_models()]
    return {f"{model._meta.app_label}.{code}" for model in models for code, _ in model._meta.permissions}


def test_a_migrated_database_has_every_role_with_its_permissions(db: None) -> None:
    assert set(Group.objects.values_list("name", flat=True)) == set(ROLES)
    for role, wanted in ROLES.items():
        if wanted is not None:
            assert permissions_of(role) == wanted, role
    assert Group.objects.get(name="administrator").permissions.count() == Permission.objects.count()


def test_what_each_role_may_do_that_others_may_not(db: None) -> None:
    powers = {role: permissions_of(role) & own_permissions() for role in ROLES}

    assert powers["viewer"] == powers["auditor"] == set()
    assert powers["curator"] == {"bazaar.list_catalogentry", "bazaar.enable_pair", "bazaar.pause_pair"}
    assert powers["budget manager"] == {
        "payments.raise_budget", "payments.pause_agent", "payments.rotate_apikey", "payments.revoke_apikey",
    }  # fmt: skip
    assert powers["approver"] == {"payments.publish_policy", "payments.pause_agent", "payments.revoke_apikey"}
    assert powers["administrator"] == own_permissions()


def test_whoever_drafts_policies_does_not_put_them_in_force(db: None) -> None:
    drafts, publishes = "payments.change_policy", "payments.publish_policy"

    assert {drafts, publishes} & permissions_of("budget manager") == {drafts}
    assert {drafts, publishes} & permissions_of("approver") == {publishes}


def test_a_role_that_was_changed_by_hand_is_put_right_and_others_are_left_alone(db: None) -> None:
    viewer, own = Group.objects.get(name="viewer"), Group.objects.create(name="my own")
    raise_budget = Permission.objects.get(codename="raise_budget")
    for group in (viewer, own):
        group.permissions.add(raise_budget)

    set_roles()

    assert permissions_of("viewer") == set(ROLES["viewer"] or ())
    assert permissions_of("my own") == {"payments.raise_budget"}


def test_nothing_is_written_when_all_is_right(db: None) -> None:
    set_roles()
    with CaptureQueriesContext(connection) as queries:
        set_roles()

    assert [query["sql"] for query in queries if not query["sql"].startswith("SELECT")] == []


def test_the_page_on_the_admin_says_which_role_has_which_permission(db: None) -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \|[^|]*\| ([^|]*) \|$", DOCS.read_text(encoding="utf-8"), re.MULTILINE)
    told = {f"{app}.{code}": set(roles.split(", ")) for code, app, roles in rows}

    assert told == {code: {role for role in ROLES if code in permissions_of(role)} for code in own_permissions()}


def test_an_auditor_reads_the_audit_log_and_a_viewer_does_not(db: None) -> None:
    log = reverse("admin:admin_logentry_changelist")

    assert signed_in("auditor").get(log).status_code == 200
    assert signed_in("viewer").get(log).status_code == 403


def test_a_curator_enables_and_pauses_a_pair_and_a_manager_pauses_an_agent(db: None) -> None:
    pair, agent = make_pair(enabled=False), make_agent()
    said = {"reason": "asked for", "row_version": "1"}

    signed_in("curator").post(reverse("admin:bazaar_pair_enable", args=(pair.pk,)), said)
    signed_in("budget manager").post(reverse("admin:payments_agent_pause", args=(agent.pk,)), said)
    pair.refresh_from_db()
    agent.refresh_from_db()

    assert (pair.enabled, agent.state) == (True, "paused")


def test_a_role_that_comes_ready_cannot_be_edited_and_another_can(superuser: Client) -> None:
    viewer, own = Group.objects.get(name="viewer"), Group.objects.create(name="my own")

    page = superuser.get(reverse("admin:auth_group_change", args=(viewer.pk,)))
    assert b'name="_save"' not in page.content
    assert superuser.post(reverse("admin:auth_group_change", args=(viewer.pk,)), {"name": "x"}).status_code == 403
    superuser.post(reverse("admin:auth_group_change", args=(own.pk,)), {"name": "renamed"})

    assert set(Group.objects.values_list("name", flat=True)) == {*ROLES, "renamed"}
