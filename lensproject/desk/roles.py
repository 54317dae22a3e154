"""Roles that come ready: groups with the permissions named here, put right after every migration.

Their permissions belong to the platform and are set back when they differ; who needs another cut makes a group.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.apps import AppConfig, apps
from django.contrib.auth.management import create_permissions
from django.contrib.auth.models import Group, Permission

CATALOGUE = ("asset", "catalogentry", "market", "network", "pair", "paymentoption", "seller", "selleraddress", "venue")
SPENDERS = ("agent", "organisation", "payeraccount", "team")
MONEY = ("apikey", "apikeynetwork", "budget", "budgetwindow", "policy", "policyasset")
SETTLING = ("facilitatorsettlement", "settlementattempt", "sourceaccount")
LOGS = ("admin.view_logentry", "axes.view_accessattempt", "axes.view_accessfailurelog", "mcp_bridge.view_change")


def _each(app: str, actions: Iterable[str], models: Iterable[str]) -> frozenset[str]:
    return frozenset(f"{app}.{action}_{model}" for model in models for action in actions)


VIEW = (
    _each("bazaar", ("view",), CATALOGUE)
    | _each("payments", ("view",), (*SPENDERS, *MONEY, *SETTLING))
    | {"auth.view_user", "django_tasks_database.view_dbtaskresult"}
)
CURATE = _each("bazaar", ("add", "change"), CATALOGUE) | {
    "bazaar.list_catalogentry",
    "bazaar.enable_pair",
    "bazaar.pause_pair",
}
MANAGE = _each("payments", ("add", "change"), (*SPENDERS, "apikey", "budget", "policy", "policyasset")) | {
    "payments.raise_budget",
    "payments.pause_agent",
    "payments.rotate_apikey",
    "payments.revoke_apikey",
}

ROLES: dict[str, frozenset[str] | None] = {
    "viewer": VIEW,
    "curator": VIEW | CURATE,
    "budget manager": VIEW | MANAGE,
    "approver": VIEW | {"payments.publish_policy", "payments.pause_agent", "payments.revoke_apikey"},
    "auditor": VIEW | frozenset(LOGS) | {"auth.view_group"},
    "administrator": None,
}
"""Role → permissions as `app.codename`; None for all that there are."""


def make_ready(sender: AppConfig, using: str, **kwargs: Any) -> None:
    """Receiver of post_migrate: once, after the last app, when every permission is there."""
    with_models = [config for config in apps.get_app_configs() if config.models_module is not None]
    if sender is not with_models[-1]:
        return
    create_permissions(
        sender, using=using, **{k: v for k, v in kwargs.items() if k in ("verbosity", "interactive", "apps")}
    )
    set_roles(using)


def set_roles(using: str = "default") -> None:
    """Make each role's group and give it exactly its permissions. Writes nothing when all is right."""
    known = {
        f"{app}.{codename}": key
        for key, app, codename in Permission.objects.using(using).values_list(
            "pk", "content_type__app_label", "codename"
        )
    }
    for name, wanted in ROLES.items():
        group, _ = Group.objects.using(using).get_or_create(name=name)
        keys = (
            set(known.values())
            if wanted is None
            else {known[permission] for permission in wanted if permission in known}
        )
        if set(group.permissions.values_list("pk", flat=True)) != keys:
            group.permissions.set(keys)
