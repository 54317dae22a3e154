"""Catalogue entries: what is for sale."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from bazaar.admin.listing import DelistEntry, ListEntry, PauseEntry
from bazaar.catalog.entries import KEY, create_entry, revise_entry
from bazaar.models import CatalogEntry, PaymentOption
from lensproject.core.admin import CuratedAdmin, CuratedForm
from lensproject.core.admin.display import amount_text, badge, when
from lensproject.core.admin.links import add_related, page_of
from lensproject.core.admin.words import WordsField

STATES = {"draft": "quiet", "listed": "good", "paused": "wait", "delisted": "bad"}


class EntryForm(CuratedForm):
    tags = WordsField(help_text="Up to five, with commas between them.")

    def clean_input_schema(self) -> Any:
        return self.cleaned_data["input_schema"] or {}

    def clean_output_schema(self) -> Any:
        return self.cleaned_data["output_schema"] or {}


@admin.register(CatalogEntry)
class CatalogEntryAdmin(CuratedAdmin[CatalogEntry]):
    """An entry begins as a draft. Where it is found can be changed while it is one; its state has pages of its own."""

    form = EntryForm
    create = staticmethod(create_entry)
    revise = staticmethod(revise_entry)
    dangers = (ListEntry(), PauseEntry(), DelistEntry())
    list_display = ("title", "seller", "kind", "state_shown", "danger_links", when("updated_at", "changed"))
    list_filter = ("state", "kind", "provenance")
    list_select_related = ("seller",)
    autocomplete_fields = ("seller",)
    search_fields = ("title__istartswith", "public_id__exact", "origin__exact")
    search_help_text = "The beginning of the title, or the whole public id or origin."
    readonly_fields = ("public_id", "state_shown", "state_reason", "provenance", "claimed_by", "ways_to_pay")
    empty_hint = "No entry yet. Add one, give it a way to pay, and list it."
    fieldsets = (
        (None, {"fields": ("seller", "title", "description")}),
        ("Where", {"fields": ("kind", "method", "origin", "route", "tool")}),
        ("State", {"fields": ("state_shown", "state_reason", "ways_to_pay", "public_id", "provenance", "claimed_by")}),
        ("Found by", {"fields": ("tags", "category", "service_name", "icon_url")}),
        ("Shape", {"fields": ("input_schema", "output_schema", "example")}),
    )

    def fixed_in(self, row: CatalogEntry) -> tuple[str, ...]:
        return () if row.state == CatalogEntry.State.DRAFT else KEY

    @admin.display(description="state", ordering="state")
    def state_shown(self, row: CatalogEntry) -> SafeString | str:
        if row._state.adding:
            return "Begins as a draft; list it on its own page."
        return badge(row.get_state_display(), STATES[row.state])

    @admin.display(description="ways to pay")
    def ways_to_pay(self, row: CatalogEntry) -> SafeString | str:
        """Each price with a link to its page, and a link to one more."""
        if row._state.adding:
            return "Add them when the entry is saved."
        options = row.options.select_related("asset__network")
        prices = format_html_join(
            "",
            "<li>{} – {}, {}</li>",
            ((page_of(o, amount_text(o.amount, o.asset)), o.asset.network, o.scheme) for o in options),
        )
        more = add_related(PaymentOption, "entry", row, "Add a way to pay")
        return format_html("<ul>{}</ul>{}", prices, more)
