"""Pairs: what Lens quotes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from django.contrib import admin
from django.utils.safestring import SafeString

from bazaar.admin.switches import Switch
from bazaar.markets.curation import create_pair, revise_pair
from bazaar.models import Market, Pair
from lensproject.core.admin import CuratedAdmin, CuratedForm, Fact
from lensproject.core.admin.display import amount, badge, when
from lensproject.core.admin.links import add_related, related_list


class PairSwitch(Switch):
    revise = staticmethod(revise_pair)

    def consequences(self, row: Pair) -> Sequence[Fact]:
        then = "quoted, and its inverse" if self.turns_on else "kept; no new prices, no quotes"
        return (Fact("Markets of it", str(row.markets.count()), then),)


class EnablePair(PairSwitch):
    slug, label, done, turns_on = "enable", "Enable", "enabled", True
    permission = "bazaar.enable_pair"


class PausePair(PairSwitch):
    slug, label, done, turns_on = "pause", "Pause", "paused", False
    permission = "bazaar.pause_pair"


class PairForm(CuratedForm):
    amounts: ClassVar[Mapping[str, str]] = {"minimum_volume": "asset_b"}


def begin_paused(values: Mapping[str, Any], *, by: Any, reason: str) -> Pair:
    """A new pair is quoted when somebody has enabled it on the second page."""
    return create_pair({**values, "enabled": False}, by=by, reason=reason)


@admin.register(Pair)
class PairAdmin(CuratedAdmin[Pair]):
    """A pair keeps its assets. It begins paused; enabling and pausing have a page each."""

    form = PairForm
    create = staticmethod(begin_paused)
    revise = staticmethod(revise_pair)
    dangers = (PausePair(), EnablePair())
    fixed = ("network", "asset_a", "asset_b")
    read_as: ClassVar[Mapping[str, str]] = {"minimum_volume": "minimum_volume_shown"}
    list_display = (
        "name",
        "network",
        "state",
        "danger_links",
        "staleness_limit_seconds",
        when("updated_at", "changed"),
    )
    list_filter = ("enabled",)
    list_select_related = ("network", "asset_a", "asset_b")
    autocomplete_fields = ("asset_a", "asset_b")
    search_fields = ("key__startswith",)
    search_help_text = "The beginning of the key, such as XLM/USDC."
    readonly_fields = ("key", "state", "markets")
    empty_hint = "No pair yet. Add two assets of one network; then a market on a venue where they are traded."
    fieldsets = (
        (None, {"fields": ("network", "asset_a", "asset_b", "key", "state")}),
        (
            "Quoting",
            {"fields": ("decimals_shown", "staleness_limit_seconds", "divergence_limit_bps", "minimum_volume")},
        ),
        ("Where it is traded", {"fields": ("markets",)}),
    )

    @admin.display(description="pair", ordering="key")
    def name(self, row: Pair) -> str:
        """The codes; the key with its issuers is on the page."""
        return f"{row.asset_a.code} / {row.asset_b.code}"

    @admin.display(description="state", ordering="enabled")
    def state(self, row: Pair) -> SafeString | str:
        if row._state.adding:
            return "Begins paused; enable it on its own page."
        return badge("Quoted", "good") if row.enabled else badge("Paused", "wait")

    @admin.display(description="minimum volume")
    def minimum_volume_shown(self, row: Pair) -> SafeString | str:
        return amount(row.minimum_volume, row.asset_b)

    @admin.display(description="markets")
    def markets(self, row: Pair) -> SafeString | str:
        if row._state.adding:
            return "–"
        return related_list(Market, "pair", row) + " · " + add_related(Market, "pair", row, "Add a market")
