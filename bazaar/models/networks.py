"""Stellar networks, and the assets on them."""

from __future__ import annotations

from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q

from lensproject.core import triggers
from lensproject.core.amounts import MAX_DECIMALS
from lensproject.core.models import Curated

NATIVE_CODE = "XLM"


class Network(Curated):
    """A Stellar network by its CAIP-2 name, with the nodes that are asked. One of them is the default that Lens speaks
    of.
    """

    class Name(models.TextChoices):
        PUBNET = "stellar:pubnet", "Mainnet (real money)"
        TESTNET = "stellar:testnet", "Testnet"
        LOCAL = "stellar:local", "Local ledger (play money)"

    name = models.CharField("CAIP-2 name", max_length=32, choices=Name.choices, unique=True)
    passphrase = models.CharField(max_length=120)
    rpc_url = models.URLField("RPC URL", blank=True, help_text="Stellar RPC node. Its path and query are never shown.")
    horizon_url = models.URLField("Horizon URL", blank=True, help_text="Horizon node, for market data.")
    enabled = models.BooleanField(default=False)
    is_default = models.BooleanField("default", default=False, help_text="The network that lens:// resources speak of.")

    class Meta:
        ordering = ("name",)
        permissions = (("enable_network", "Can enable a network for payments"),)
        constraints = (
            models.CheckConstraint(
                condition=Q(name__in=("stellar:pubnet", "stellar:testnet", "stellar:local")),
                name="network_name_known",
                violation_error_message="A network is stellar:pubnet, stellar:testnet or stellar:local.",
            ),
            models.CheckConstraint(condition=~Q(passphrase=""), name="network_passphrase_given"),
            models.UniqueConstraint(
                fields=("is_default",),
                condition=Q(is_default=True),
                name="network_one_default",
                violation_error_message="Another network is the default; take the mark off there first.",
            ),
            models.CheckConstraint(
                condition=Q(is_default=False) | Q(enabled=True),
                name="network_default_enabled",
                violation_error_message="The default network must be enabled.",
            ),
        )

    def __str__(self) -> str:
        return self.name

    @property
    def is_play_money(self) -> bool:
        return self.name == self.Name.LOCAL


class Asset(Curated):
    """Something that payments are made in: native lumens, a classic asset (code and issuer), or a token contract.

    `contract` is the asset's token contract; for native and classic assets it follows from the network and is derived.
    """

    class Kind(models.TextChoices):
        NATIVE = "native", "Native (XLM)"
        CLASSIC = "classic", "Classic (code and issuer)"
        CONTRACT = "contract", "Token contract"

    network = models.ForeignKey(Network, on_delete=models.PROTECT, related_name="assets")
    kind = models.CharField(max_length=8, choices=Kind.choices, default=Kind.CLASSIC)
    code = models.CharField(
        max_length=12,
        validators=[RegexValidator(r"^[A-Za-z0-9]{1,12}\Z", "A code is 1 to 12 letters and digits.")],
    )
    issuer = models.CharField(max_length=56, blank=True, help_text="G… address; empty for native and contract tokens.")
    contract = models.CharField(max_length=56, help_text="C… address; derived where it follows from code and issuer.")
    decimals = models.PositiveSmallIntegerField(default=7)
    home_domain = models.CharField(max_length=253, blank=True)
    enabled = models.BooleanField("listed", default=True, help_text="Whether payments may be made in it.")

    class Meta:
        ordering = ("network_id", "code", "id")
        constraints = (
            models.CheckConstraint(
                condition=Q(decimals__lte=MAX_DECIMALS),
                name="asset_decimals_0_to_12",
                violation_error_message=f"An asset has 0 to {MAX_DECIMALS} decimals.",
            ),
            models.CheckConstraint(condition=~Q(code="") & ~Q(contract=""), name="asset_code_and_contract_given"),
            models.CheckConstraint(
                condition=Q(kind="native", code=NATIVE_CODE, issuer="")
                | (Q(kind="classic") & ~Q(issuer=""))
                | Q(kind="contract", issuer=""),
                name="asset_parts_fit_kind",
                violation_error_message="Native is XLM without issuer, classic has one, a contract token none.",
            ),
            models.UniqueConstraint(
                fields=("network", "contract"),
                name="asset_contract_once",
                violation_error_message="This asset is already listed on this network.",
            ),
        )
        indexes = (models.Index(fields=("network", "code"), name="asset_by_code"),)

    def __str__(self) -> str:
        return f"{self.code} on {self.network.name}"

    @property
    def canonical(self) -> str:
        """How a pair key names it: `XLM`, `CODE:ISSUER`, or the contract's address."""
        if self.kind == self.Kind.NATIVE:
            return NATIVE_CODE
        return f"{self.code}:{self.issuer}" if self.kind == self.Kind.CLASSIC else self.contract


triggers.immutable(
    "asset_identity_fixed",
    "bazaar_asset",
    ("network_id", "kind", "code", "issuer", "contract", "decimals"),
    message="amounts are counted in units of this asset; list another one",
)
