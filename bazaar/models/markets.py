"""What Lens quotes: pairs, the venues that it reads, and the markets of a pair on a venue."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Greatest, Least

from bazaar.models.networks import Asset, Network
from lensproject.core import triggers
from lensproject.core.amounts import MAX_UNITS, UnitsField
from lensproject.core.models import Curated


class Pair(Curated):
    """Two assets of one network, in the order the operator chose. The inverse is quoted too and needs no row."""

    network = models.ForeignKey(Network, on_delete=models.PROTECT, related_name="pairs")
    key = models.CharField(max_length=140, editable=False, help_text="ASSET_A/ASSET_B, made of the assets' own names.")
    asset_a = models.ForeignKey(Asset, on_delete=models.PROTECT, related_name="+", verbose_name="asset A")
    asset_b = models.ForeignKey(Asset, on_delete=models.PROTECT, related_name="+", verbose_name="asset B")
    enabled = models.BooleanField(default=True)
    decimals_shown = models.PositiveSmallIntegerField(default=7)
    staleness_limit_seconds = models.PositiveIntegerField(default=900, help_text="An older price is marked stale.")
    divergence_limit_bps = models.PositiveIntegerField(
        "divergence limit (basis points)", default=500, help_text="Sources further apart than this freeze the quote."
    )
    minimum_volume = UnitsField("minimum volume (units)", default=0, help_text="In units of asset B.")

    class Meta:
        ordering = ("key", "id")
        permissions = (
            ("enable_pair", "Can enable a pair"),
            ("pause_pair", "Can pause a pair"),
        )
        constraints = (
            models.UniqueConstraint(fields=("network", "key"), name="pair_key_once"),
            models.CheckConstraint(
                condition=~Q(asset_a=F("asset_b")),
                name="pair_of_two_assets",
                violation_error_message="A pair has two different assets.",
            ),
            models.UniqueConstraint(
                Least("asset_a", "asset_b"),
                Greatest("asset_a", "asset_b"),
                name="pair_once_in_either_order",
                violation_error_message="This pair is there already, perhaps in the other order.",
            ),
            models.CheckConstraint(condition=~Q(key=""), name="pair_key_given"),
            models.CheckConstraint(
                condition=Q(decimals_shown__lte=18),
                name="pair_decimals_shown_0_to_18",
                violation_error_message="A price is shown with 0 to 18 decimals.",
            ),
            models.CheckConstraint(
                condition=Q(staleness_limit_seconds__gte=1),
                name="pair_staleness_limit_positive",
                violation_error_message="The staleness limit is at least a second.",
            ),
            models.CheckConstraint(
                condition=Q(divergence_limit_bps__gte=1, divergence_limit_bps__lte=10_000),
                name="pair_divergence_limit_1_to_10000",
                violation_error_message="The divergence limit is 1 to 10000 basis points.",
            ),
            models.CheckConstraint(
                condition=Q(minimum_volume__gte=0, minimum_volume__lte=MAX_UNITS),
                name="pair_minimum_volume_not_negative",
                violation_error_message="A volume is never negative.",
            ),
        )

    def __str__(self) -> str:
        return self.key


class Venue(Curated):
    """A place where assets are traded, on one network, and whether Lens reads it."""

    class Kind(models.TextChoices):
        SDEX = "sdex", "Stellar order book (SDEX)"
        POOLS = "pools", "Classic liquidity pools"
        SOROSWAP = "soroswap", "Soroswap"
        AQUARIUS = "aquarius", "Aquarius"
        PHOENIX = "phoenix", "Phoenix"
        COMET = "comet", "Comet"
        REFLECTOR = "reflector", "Reflector (oracle, cross-check only)"

    network = models.ForeignKey(Network, on_delete=models.PROTECT, related_name="venues")
    key = models.SlugField(max_length=32)
    kind = models.CharField(max_length=12, choices=Kind.choices)
    source = models.CharField(max_length=200, help_text="URL or contract that is read. Never one with a key in it.")
    enabled = models.BooleanField(default=True)
    weight = models.PositiveIntegerField("weight (percent)", default=100)

    class Meta:
        ordering = ("network_id", "key")
        constraints = (
            models.UniqueConstraint(
                fields=("network", "key"),
                name="venue_key_once",
                violation_error_message="This network has a venue of that key.",
            ),
            models.CheckConstraint(condition=~Q(key="") & ~Q(source=""), name="venue_key_and_source_given"),
            models.CheckConstraint(
                condition=Q(kind__in=("sdex", "pools", "soroswap", "aquarius", "phoenix", "comet", "reflector")),
                name="venue_kind_known",
            ),
            models.CheckConstraint(
                condition=Q(weight__lte=1000),
                name="venue_weight_0_to_1000",
                violation_error_message="A weight is 0 to 1000 percent.",
            ),
        )

    def __str__(self) -> str:
        return f"{self.key} on {self.network.name}"


class Market(Curated):
    """A pair on a venue: the pool or book that is read there, and how the last reading went."""

    pair = models.ForeignKey(Pair, on_delete=models.CASCADE, related_name="markets")
    venue = models.ForeignKey(Venue, on_delete=models.PROTECT, related_name="markets")
    place = models.CharField(max_length=64, blank=True, help_text="Pool id or contract; empty for an order book.")
    enabled = models.BooleanField(default=True)
    last_success = models.DateTimeField(null=True, blank=True, editable=False)
    last_error = models.CharField(max_length=200, blank=True, editable=False)
    lag_ledgers = models.PositiveIntegerField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ("pair_id", "venue_id", "id")
        constraints = (
            models.UniqueConstraint(
                fields=("pair", "venue", "place"),
                name="market_once",
                violation_error_message="This venue's market for the pair is there already.",
            ),
        )

    def __str__(self) -> str:
        return f"{self.pair.key} at {self.venue.key}"


triggers.immutable(
    "pair_identity_fixed",
    "bazaar_pair",
    ("network_id", "key", "asset_a_id", "asset_b_id"),
    message="prices were stored under this key; disable the pair and make another one",
)
triggers.immutable("venue_network_fixed", "bazaar_venue", ("network_id",), message="a venue stays on its network")
triggers.guard(
    "pair_assets_on_its_network",
    "bazaar_pair",
    refuse_when=(
        'EXISTS (SELECT 1 FROM "bazaar_asset" a WHERE a."id" IN (NEW."asset_a_id", NEW."asset_b_id") '
        'AND a."network_id" <> NEW."network_id")'
    ),
    message="both assets of a pair are on its network",
    needs=("bazaar_asset",),
)
triggers.guard(
    "market_venue_on_network_of_pair",
    "bazaar_market",
    refuse_when=(
        'EXISTS (SELECT 1 FROM "bazaar_pair" p, "bazaar_venue" v WHERE p."id" = NEW."pair_id" '
        'AND v."id" = NEW."venue_id" AND p."network_id" <> v."network_id")'
    ),
    message="a market's venue is on the network of its pair",
    needs=("bazaar_pair", "bazaar_venue"),
)
