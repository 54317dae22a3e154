"""Policies: what may be bought, of whom, on which network, up to how much a call. Versioned; no policy, no spending."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import F, Q

from bazaar.models import Asset
from lensproject.core.amounts import MAX_UNITS, UnitsField
from lensproject.core.models import Curated
from payments.models.scopes import Scoped, exactly_one_scope

ANY = "*"


class Policy(Scoped, Curated):
    """One version of the rules of an organisation, team or agent. The policies of all three apply, and each must allow.

    Lists name what is allowed; `["*"]` allows all and an absent list allows nothing. Allowed assets are rows of
    PolicyAsset.
    """

    class State(models.TextChoices):
        DRAFT = "draft", "Draft"
        PUBLISHED = "published", "In force"
        RETIRED = "retired", "Retired"

    policy_version = models.PositiveIntegerField(default=1)
    state = models.CharField(max_length=9, choices=State.choices, default=State.DRAFT)
    networks: models.JSONField[Any, Any] = models.JSONField(default=list, blank=True)
    sellers: models.JSONField[Any, Any] = models.JSONField(default=list, blank=True, help_text="Ids of sellers.")
    hosts: models.JSONField[Any, Any] = models.JSONField(
        default=list, blank=True, help_text="Hosts paid_call may reach."
    )
    tools: models.JSONField[Any, Any] = models.JSONField(default=list, blank=True, help_text="Names of MCP tools.")
    allow_unverified_domain = models.BooleanField(default=False)
    refuse_changed_pay_to = models.BooleanField("refuse a changed payTo", default=True)

    class Meta:
        verbose_name_plural = "policies"
        ordering = ("-id",)
        permissions = (("publish_policy", "Can put a policy version in force"),)
        constraints = (
            models.CheckConstraint(
                condition=exactly_one_scope(),
                name="policy_of_exactly_one_scope",
                violation_error_message="A policy belongs to exactly one organisation, team or agent.",
            ),
            models.CheckConstraint(condition=Q(state__in=("draft", "published", "retired")), name="policy_state_known"),
            models.CheckConstraint(condition=Q(policy_version__gte=1), name="policy_version_positive"),
            *(
                models.UniqueConstraint(
                    fields=(scope, "policy_version"),
                    condition=Q(**{f"{scope}__isnull": False}),
                    name=f"policy_version_once_per_{scope}",
                )
                for scope in ("organisation", "team", "agent")
            ),
            *(
                models.UniqueConstraint(
                    fields=(scope,),
                    condition=Q(state="published", **{f"{scope}__isnull": False}),
                    name=f"policy_one_in_force_per_{scope}",
                    violation_error_message="Another version is in force; retire it first.",
                )
                for scope in ("organisation", "team", "agent")
            ),
        )

    def __str__(self) -> str:
        return f"Version {self.policy_version} of the policy of {self.holder}"


class PolicyAsset(models.Model):
    """An asset that a policy allows, with its per-call maximum and the amount above which a person approves."""

    policy = models.ForeignKey(Policy, on_delete=models.CASCADE, related_name="assets")
    asset = models.ForeignKey(Asset, on_delete=models.PROTECT, related_name="+")
    per_call_maximum = UnitsField("per-call maximum (units)")
    approve_above = UnitsField("a person approves above (units)", null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("policy", "asset"), name="policy_asset_once"),
            models.CheckConstraint(
                condition=Q(per_call_maximum__gte=0, per_call_maximum__lte=MAX_UNITS),
                name="policy_asset_per_call_maximum_not_negative",
                violation_error_message="A maximum is never negative.",
            ),
            models.CheckConstraint(
                condition=Q(approve_above__isnull=True)
                | Q(approve_above__gte=0, approve_above__lte=F("per_call_maximum")),
                name="policy_asset_approval_within_maximum",
                violation_error_message="The amount that needs approval is at most the per-call maximum.",
            ),
        )

    def __str__(self) -> str:
        return f"{self.asset} in {self.policy}"
