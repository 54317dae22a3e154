"""Markets: a pair on a venue, and how the last reading went."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from bazaar.markets.curation import create_market, revise_market
from bazaar.models import Market
from lensproject.core.admin import CuratedAdmin
from lensproject.core.admin.display import badge, moment, when


class ReadingFilter(admin.SimpleListFilter):
    title = "last reading"
    parameter_name = "reading"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Any:
        return (("failed", "Failed"), ("good", "Went well"), ("none", "Never read"))

    def queryset(self, request: HttpRequest, queryset: QuerySet[Market]) -> QuerySet[Market] | None:
        if self.value() == "failed":
            return queryset.exclude(last_error="")
        if self.value() == "good":
            return queryset.filter(last_error="", last_success__isnull=False)
        return queryset.filter(last_error="", last_success__isnull=True) if self.value() == "none" else queryset


@admin.register(Market)
class MarketAdmin(CuratedAdmin[Market]):
    """A market keeps its pair and its venue."""

    create = staticmethod(create_market)
    revise = staticmethod(revise_market)
    fixed = ("pair", "venue")
    read_as: ClassVar[Mapping[str, str]] = {"enabled": "state"}
    list_display = (
        "pair_shown",
        "venue_shown",
        "state",
        "reading",
        "lag_ledgers",
        when("last_success", "last success"),
    )
    list_filter = ("enabled", ReadingFilter)
    list_select_related = ("pair__asset_a", "pair__asset_b", "venue__network")
    autocomplete_fields = ("pair", "venue")
    search_fields = ("place__exact",)
    search_help_text = "The whole pool id or contract."
    readonly_fields = ("reading", "success", "last_error", "lag_ledgers")
    empty_hint = "No market yet. Add one: a pair, and the venue where it is traded."
    fieldsets = (
        (None, {"fields": ("pair", "venue", "place", "enabled")}),
        ("Last reading", {"fields": ("reading", "success", "last_error", "lag_ledgers")}),
    )

    @admin.display(description="pair")
    def pair_shown(self, row: Market) -> str:
        return f"{row.pair.asset_a.code} / {row.pair.asset_b.code}"

    @admin.display(description="venue")
    def venue_shown(self, row: Market) -> str:
        return str(row.venue)

    @admin.display(description="state", ordering="enabled")
    def state(self, row: Market) -> SafeString:
        return badge("Read", "good") if row.enabled else badge("Disabled", "wait")

    @admin.display(description="reading")
    def reading(self, row: Market) -> SafeString:
        if row.last_error:
            return badge("Failed", "bad")
        return badge("Went well", "good") if row.last_success else badge("Never read", "quiet")

    @admin.display(description="last success")
    def success(self, row: Market) -> SafeString | str:
        return moment(row.last_success)
