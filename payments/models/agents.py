"""Agents, the accounts that they pay from, and the keys by which they are known."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q

from bazaar.models import Asset, Network, Seller, rules
from lensproject.core import callers, triggers
from lensproject.core.ids import public_id
from lensproject.core.models import Curated
from payments.models.organisations import Organisation, Team


def agent_id() -> str:
    return public_id("agent")


class Agent(Curated):
    """A spender: a program that pays, with a person who answers for it. Only an active one may spend."""

    class State(models.TextChoices):
        ACTIVE = "active", "Active"
        PAUSED = "paused", "Paused"
        CLOSED = "closed", "Closed"

    public_id = models.CharField(max_length=48, unique=True, default=agent_id, editable=False)
    name = models.CharField(max_length=80)
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="agents")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="agents")
    default_asset = models.ForeignKey(
        Asset,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="What inspect_budget speaks of first; its network is the agent's default network.",
    )
    state = models.CharField(max_length=8, choices=State.choices, default=State.ACTIVE)

    class Meta:
        ordering = ("name", "id")
        permissions = (("pause_agent", "Can pause and resume an agent"),)
        constraints = (
            models.UniqueConstraint(
                fields=("team", "name"),
                name="agent_name_once",
                violation_error_message="The team has an agent of that name.",
            ),
            models.CheckConstraint(condition=~Q(name=""), name="agent_name_given"),
            models.CheckConstraint(condition=Q(state__in=("active", "paused", "closed")), name="agent_state_known"),
        )

    def __str__(self) -> str:
        return self.name


class PayerAccount(Curated):
    """A Stellar account that an agent pays from, and who signs for it: that says whether budgets can bind."""

    class Mode(models.TextChoices):
        OPERATOR = "operator", "The operator's signer signs; budgets bind"
        CO_SIGNED = "co_signed", "Agent and platform sign; budgets bind"
        AGENT = "agent", "The agent alone signs; budgets bind what passes through the platform"

    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="payer_accounts")
    network = models.ForeignKey(Network, on_delete=models.PROTECT, related_name="+")
    address = models.CharField(max_length=56, validators=[rules.address])
    mode = models.CharField(max_length=9, choices=Mode.choices, default=Mode.AGENT)
    proved_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ("agent_id", "network_id", "id")
        constraints = (
            models.UniqueConstraint(
                fields=("network", "address"),
                name="payer_account_once",
                violation_error_message="This address belongs to an agent already.",
            ),
            models.CheckConstraint(condition=~Q(address=""), name="payer_account_address_given"),
            models.CheckConstraint(
                condition=Q(mode__in=("operator", "co_signed", "agent")), name="payer_account_mode_known"
            ),
        )

    def __str__(self) -> str:
        return f"{self.address[:6]}…{self.address[-4:]} on {self.network.name}"


class ApiKey(Curated):
    """A bearer key. The secret is shown once; here are its public id and a keyed hash under a pepper that has an id.

    It belongs to a user and an organisation. `pay` needs an agent, `catalog:write` and `facilitator` a seller.
    """

    key_id = models.CharField(max_length=16, unique=True, editable=False)
    name = models.CharField(max_length=80)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="api_keys")
    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="api_keys")
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, null=True, blank=True, related_name="api_keys")
    seller = models.ForeignKey(Seller, on_delete=models.PROTECT, null=True, blank=True, related_name="api_keys")
    pepper_id = models.CharField(max_length=32, editable=False)
    digest = models.CharField(max_length=64, editable=False)
    can_read = models.BooleanField("read", default=True)
    can_pay = models.BooleanField("pay", default=False)
    can_write_catalog = models.BooleanField("catalog:write", default=False)
    can_settle = models.BooleanField("facilitator", default=False)
    allowed_ips: models.JSONField[Any, Any] = models.JSONField(
        "allowed IP ranges", default=list, blank=True, help_text="A list such as [“10.0.0.0/8”]; empty allows all."
    )
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True, editable=False)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        verbose_name = "API key"
        ordering = ("-id",)
        permissions = (
            ("rotate_apikey", "Can replace the secret of a key"),
            ("revoke_apikey", "Can revoke a key"),
        )
        constraints = (
            models.CheckConstraint(condition=~Q(name=""), name="api_key_name_given"),
            models.CheckConstraint(
                condition=~Q(key_id="") & ~Q(digest="") & ~Q(pepper_id=""), name="api_key_has_a_secret"
            ),
            models.CheckConstraint(
                condition=Q(can_pay=False) | Q(agent__isnull=False),
                name="api_key_pay_needs_agent",
                violation_error_message="A key that pays belongs to an agent.",
            ),
            models.CheckConstraint(
                condition=Q(can_write_catalog=False) | Q(seller__isnull=False),
                name="api_key_catalog_write_needs_seller",
                violation_error_message="A key that writes to the catalogue belongs to a seller.",
            ),
            models.CheckConstraint(
                condition=Q(can_settle=False) | Q(seller__isnull=False),
                name="api_key_facilitator_needs_seller",
                violation_error_message="A key that settles belongs to a seller and its proved addresses.",
            ),
            models.CheckConstraint(
                condition=Q(can_read=True) | Q(can_pay=True) | Q(can_write_catalog=True) | Q(can_settle=True),
                name="api_key_has_a_scope",
                violation_error_message="A key without a scope opens nothing.",
            ),
        )
        indexes = (
            # For the desk: which keys stop soon.
            models.Index(fields=("expires_at",), name="api_key_by_expiry", condition=Q(revoked_at__isnull=True)),
        )

    def __str__(self) -> str:
        return f"{self.name} ({self.key_id})"

    @property
    def scopes(self) -> frozenset[str]:
        """The scopes under the names that the doors use."""
        held = (self.can_read, self.can_pay, self.can_write_catalog, self.can_settle)
        return frozenset(name for name, has in zip(callers.SCOPES, held, strict=True) if has)


class ApiKeyNetwork(models.Model):
    """A network on which a key may be used. A key made for test networks is never widened to mainnet."""

    api_key = models.ForeignKey(ApiKey, on_delete=models.CASCADE, related_name="networks")
    network = models.ForeignKey(Network, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = (models.UniqueConstraint(fields=("api_key", "network"), name="api_key_network_once"),)

    def __str__(self) -> str:
        return f"{self.api_key} on {self.network.name}"


triggers.guard(
    "api_key_agent_of_its_organisation",
    "payments_apikey",
    refuse_when=(
        'NEW."agent_id" IS NOT NULL AND NOT EXISTS (SELECT 1 FROM "payments_agent" a '
        'JOIN "payments_team" t ON t."id" = a."team_id" '
        'WHERE a."id" = NEW."agent_id" AND t."organisation_id" = NEW."organisation_id")'
    ),
    message="a key's agent belongs to the key's organisation",
    needs=("payments_agent", "payments_team"),
)
triggers.immutable(
    "api_key_holder_fixed",
    "payments_apikey",
    ("key_id", "organisation_id", "agent_id", "seller_id", "user_id"),
    message="a key stays with whom it was issued to; issue another one",
)
triggers.immutable(
    "agent_team_fixed", "payments_agent", ("team_id",), message="an agent's budgets and keys rest on its team"
)
