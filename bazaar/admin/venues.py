"""Venues: where prices are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from django.contrib import admin
from django.utils.safestring import SafeString

from bazaar.markets.curation import create_venue, revise_venue
from bazaar.markets.shown_urls import without_secrets
from bazaar.models import Market, Venue
from lensproject.core.admin import CuratedAdmin
from lensproject.core.admin.display import badge, when
from lensproject.core.admin.links import related_list


@admin.register(Venue)
class VenueAdmin(CuratedAdmin[Venue]):
    """A venue stays on its network. Disabled, it is read no more; its markets stay."""

    create = staticmethod(create_venue)
    revise = staticmethod(revise_venue)
    fixed = ("network",)
    history_words: ClassVar[Mapping[str, Callable[[Any], object]]] = {"source": without_secrets}
    read_as: ClassVar[Mapping[str, str]] = {"source": "source_shown", "enabled": "state"}
    list_display = ("key", "network", "kind", "state", "weight", when("updated_at", "changed"))
    list_filter = ("enabled", "kind")
    list_select_related = ("network",)
    search_fields = ("key__startswith",)
    search_help_text = "The beginning of the key."
    readonly_fields = ("markets",)
    empty_hint = "No venue yet. Add the place where a pair is traded, such as the order book of the network."
    fieldsets = (
        (None, {"fields": ("network", "key", "kind", "enabled")}),
        ("Reading", {"fields": ("source", "weight", "markets")}),
    )

    @admin.display(description="state", ordering="enabled")
    def state(self, row: Venue) -> SafeString:
        return badge("Read", "good") if row.enabled else badge("Disabled", "wait")

    @admin.display(description="source")
    def source_shown(self, row: Venue) -> str:
        return without_secrets(row.source)

    @admin.display(description="markets")
    def markets(self, row: Venue) -> SafeString | str:
        return "–" if row._state.adding else related_list(Market, "venue", row)
