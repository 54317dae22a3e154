"""Who sells: the seller, its domain, and the addresses that it is paid to."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

from bazaar.models import rules
from bazaar.models.networks import Network
from lensproject.core.ids import public_id
from lensproject.core.models import Curated


def seller_id() -> str:
    return public_id("seller")


class Seller(Curated):
    """Somebody who offers paid resources. What is proved of the domain is a time, not a wish."""

    class State(models.TextChoices):
        ACTIVE = "active", "Active"
        PAUSED = "paused", "Paused"
        CLOSED = "closed", "Closed"

    public_id = models.CharField(max_length=48, unique=True, default=seller_id, editable=False)
    name = models.CharField(max_length=80)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="sellers"
    )
    domain = models.CharField(max_length=253, blank=True, help_text="The seller's own domain, such as weather.example.")
    domain_verified_at = models.DateTimeField(null=True, blank=True, editable=False)
    state = models.CharField(max_length=8, choices=State.choices, default=State.ACTIVE)

    class Meta:
        ordering = ("name", "id")
        constraints = (
            models.CheckConstraint(condition=~Q(name=""), name="seller_name_given"),
            models.CheckConstraint(condition=Q(state__in=("active", "paused", "closed")), name="seller_state_known"),
            models.UniqueConstraint(
                Lower("domain"),
                condition=Q(domain_verified_at__isnull=False),
                name="seller_verified_domain_once",
                violation_error_message="Another seller has proved this domain.",
            ),
            models.CheckConstraint(
                condition=Q(domain_verified_at__isnull=True) | ~Q(domain=""), name="seller_verified_domain_given"
            ),
        )

    def __str__(self) -> str:
        return self.name


class SellerAddress(Curated):
    """A payTo address of a seller on a network; `proved_at` is when it was shown to be the seller's."""

    seller = models.ForeignKey(Seller, on_delete=models.CASCADE, related_name="addresses")
    network = models.ForeignKey(Network, on_delete=models.PROTECT, related_name="+")
    address = models.CharField(max_length=56, validators=[rules.address])
    proved_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ("seller_id", "network_id", "id")
        verbose_name_plural = "seller addresses"
        constraints = (
            models.UniqueConstraint(
                fields=("network", "address"),
                name="seller_address_once",
                violation_error_message="This address belongs to a seller already.",
            ),
            models.CheckConstraint(condition=~Q(address=""), name="seller_address_given"),
        )

    def __str__(self) -> str:
        return f"{self.address[:6]}…{self.address[-4:]} on {self.network.name}"
