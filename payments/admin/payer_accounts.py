"""Accounts that agents pay from."""

from __future__ import annotations

from django.contrib import admin
from django.utils.safestring import SafeString

from lensproject.core.admin import CuratedAdmin
from lensproject.core.admin.display import badge, moment
from payments.models import PayerAccount


@admin.register(PayerAccount)
class PayerAccountAdmin(CuratedAdmin[PayerAccount]):
    """An account, and who signs for it: that says whether budgets can bind."""

    fixed = ("agent", "network", "address")
    list_display = ("address", "agent", "network", "mode", "proof")
    list_filter = ("mode", "network__name")
    list_select_related = ("agent", "network")
    autocomplete_fields = ("agent",)
    search_fields = ("address__exact",)
    search_help_text = "The whole address."
    readonly_fields = ("proof",)
    empty_hint = "No account yet. Add the account that an agent pays from, and say who signs for it."
    fieldsets = ((None, {"fields": ("agent", "network", "address", "mode", "proof")}),)

    @admin.display(description="proved")
    def proof(self, row: PayerAccount) -> SafeString | str:
        return badge("Not proved", "wait") if row.proved_at is None else moment(row.proved_at)
