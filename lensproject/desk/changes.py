"""The change log: from which agents and programs learn what changed since they last asked."""

from __future__ import annotations

from django.contrib import admin

from lensproject.core.admin import ReadOnlyAdmin
from lensproject.core.admin.display import when
from mcp_bridge.models import Change


@admin.register(Change)
class ChangeAdmin(ReadOnlyAdmin[Change]):
    """Written by database triggers, whoever changes a row and however."""

    ordering = ("-id",)
    sortable_by = ()
    list_display = ("topic", "key", when("changed_at", "changed"))
    search_fields = ("topic__exact",)
    search_help_text = "The whole name of a topic, such as lens.pairs or bazaar.entry."
    empty_hint = "No change yet. The first edit of a pair, venue, asset, network, entry or key writes one."
    fieldsets = ((None, {"fields": ("topic", "key", "changed_at")}),)
