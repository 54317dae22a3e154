"""Catalogue entries: paid HTTP resources and MCP tools, and the ways to pay for each."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q

from bazaar.models import rules
from bazaar.models.networks import Asset
from bazaar.models.sellers import Seller
from lensproject.core.amounts import MAX_UNITS, UnitsField
from lensproject.core.ids import public_id
from lensproject.core.models import Curated


def entry_id() -> str:
    return public_id("resource")


class CatalogEntry(Curated):
    """One paid resource. Its key is method, origin and route (or tool); every change is a revision kept in history."""

    class Kind(models.TextChoices):
        HTTP = "http", "HTTP resource"
        MCP = "mcp", "MCP tool"

    class Method(models.TextChoices):
        GET = "GET", "GET"
        POST = "POST", "POST"
        PUT = "PUT", "PUT"
        PATCH = "PATCH", "PATCH"
        DELETE = "DELETE", "DELETE"

    class State(models.TextChoices):
        DRAFT = "draft", "Draft"
        LISTED = "listed", "Listed"
        PAUSED = "paused", "Paused"
        DELISTED = "delisted", "Delisted"

    class Provenance(models.TextChoices):
        OPERATOR = "operator", "Entered by an operator"
        SELLER = "seller", "Registered by the seller"
        PAYMENT = "settled_payment", "Seen in a settled payment"

    public_id = models.CharField(max_length=48, unique=True, default=entry_id, editable=False)
    seller = models.ForeignKey(Seller, on_delete=models.PROTECT, related_name="entries")
    kind = models.CharField(max_length=4, choices=Kind.choices, default=Kind.HTTP)
    method = models.CharField(max_length=6, choices=Method.choices, blank=True)
    origin = models.CharField(
        max_length=270,
        validators=[rules.origin],
        help_text="Scheme, host and port, such as https://api.weather.example.",
    )
    route = models.CharField(
        max_length=512, validators=[rules.route], help_text="Path, with :name for each part that the caller fills in."
    )
    tool = models.CharField(max_length=128, blank=True, help_text="The tool's name, for MCP.")
    title = models.CharField(max_length=120)
    description = models.TextField(max_length=4000, blank=True)
    tags: models.JSONField[Any, Any] = models.JSONField(default=list, blank=True, validators=[rules.tags])
    category = models.CharField(max_length=40, blank=True)
    service_name = models.CharField(max_length=80, blank=True)
    icon_url = models.URLField(blank=True)
    input_schema: models.JSONField[Any, Any] = models.JSONField(default=dict, blank=True, validators=[rules.schema])
    output_schema: models.JSONField[Any, Any] = models.JSONField(default=dict, blank=True, validators=[rules.schema])
    example: models.JSONField[Any, Any] = models.JSONField(null=True, blank=True)
    state = models.CharField(max_length=8, choices=State.choices, default=State.DRAFT)
    state_reason = models.CharField(max_length=200, blank=True)
    provenance = models.CharField(
        max_length=16, choices=Provenance.choices, default=Provenance.OPERATOR, editable=False
    )
    claimed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+", editable=False
    )

    class Meta:
        ordering = ("title", "id")
        permissions = (("list_catalogentry", "Can list, pause and delist an entry"),)
        verbose_name = "catalogue entry"
        verbose_name_plural = "catalogue entries"
        constraints = (
            models.UniqueConstraint(
                fields=("method", "origin", "route", "tool"),
                name="entry_key_once",
                violation_error_message="This method, origin and route (or tool) is in the catalogue already.",
            ),
            models.CheckConstraint(
                condition=(Q(kind="http", tool="") & Q(method__in=("GET", "POST", "PUT", "PATCH", "DELETE")))
                | (Q(kind="mcp", method="") & ~Q(tool="")),
                name="entry_parts_fit_kind",
                violation_error_message="An HTTP resource has a method and no tool; an MCP tool the reverse.",
            ),
            models.CheckConstraint(condition=~Q(title=""), name="entry_title_given"),
            models.CheckConstraint(
                condition=Q(origin__startswith="https://") | Q(origin__startswith="http://"),
                name="entry_origin_is_http",
                violation_error_message="An origin begins with https:// or http://.",
            ),
            models.CheckConstraint(
                condition=Q(route__startswith="/"),
                name="entry_route_begins_with_slash",
                violation_error_message="A route begins with a slash.",
            ),
            models.CheckConstraint(
                condition=Q(state__in=("draft", "listed", "paused", "delisted")), name="entry_state_known"
            ),
            models.CheckConstraint(
                condition=~Q(state="delisted") | ~Q(state_reason=""),
                name="entry_delisted_with_reason",
                violation_error_message="Say why the entry is delisted.",
            ),
            models.CheckConstraint(
                condition=Q(provenance__in=("operator", "seller", "settled_payment")), name="entry_provenance_known"
            ),
        )
        indexes = (models.Index(fields=("state", "title", "id"), name="entry_listed_by_title"),)

    def __str__(self) -> str:
        return self.title

    @property
    def url(self) -> str:
        """Origin and route; the route's `:name` parts are the caller's to fill in."""
        return f"{self.origin}{self.route}"


class PaymentOption(Curated):
    """One way to pay for an entry: so many units of an asset to an address, by a scheme of x402."""

    class Scheme(models.TextChoices):
        EXACT = "exact", "exact"

    entry = models.ForeignKey(CatalogEntry, on_delete=models.CASCADE, related_name="options")
    scheme = models.CharField(max_length=16, choices=Scheme.choices, default=Scheme.EXACT)
    asset = models.ForeignKey(Asset, on_delete=models.PROTECT, related_name="+")
    amount = UnitsField("amount (units)", help_text="In the asset's smallest unit.")
    pay_to = models.CharField("payTo", max_length=56, validators=[rules.address])
    max_timeout_seconds = models.PositiveIntegerField("maxTimeoutSeconds", default=60)
    extra: models.JSONField[Any, Any] = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ("entry_id", "amount", "id")
        constraints = (
            models.CheckConstraint(
                condition=Q(amount__gte=1, amount__lte=MAX_UNITS),
                name="option_amount_positive",
                violation_error_message="A price is at least one unit.",
            ),
            models.CheckConstraint(condition=Q(scheme="exact"), name="option_scheme_known"),
            models.CheckConstraint(condition=~Q(pay_to=""), name="option_pay_to_given"),
            models.CheckConstraint(
                condition=Q(max_timeout_seconds__gte=1, max_timeout_seconds__lte=86_400),
                name="option_timeout_within_a_day",
                violation_error_message="maxTimeoutSeconds is 1 to 86400.",
            ),
            models.UniqueConstraint(
                fields=("entry", "scheme", "asset", "pay_to"),
                name="option_once",
                violation_error_message="The entry has this way to pay already.",
            ),
        )

    def __str__(self) -> str:
        return f"{self.scheme}, {self.asset.code}"
