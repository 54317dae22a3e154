"""Ways to pay for an entry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from django.contrib import admin
from django.utils.safestring import SafeString

from bazaar.catalog.entries import create_option, revise_option
from bazaar.models import PaymentOption
from lensproject.core.admin import CuratedAdmin, CuratedForm
from lensproject.core.admin.display import amount


class OptionForm(CuratedForm):
    amounts: ClassVar[Mapping[str, str]] = {"amount": "asset"}


@admin.register(PaymentOption)
class PaymentOptionAdmin(CuratedAdmin[PaymentOption]):
    """A price: so much of an asset to an address. The entry's revision moves with it."""

    form = OptionForm
    create = staticmethod(create_option)
    revise = staticmethod(revise_option)
    fixed = ("entry", "asset")
    read_as: ClassVar[Mapping[str, str]] = {"amount": "price"}
    list_display = ("entry", "price", "network", "scheme", "pay_to")
    list_filter = ("scheme",)
    list_select_related = ("entry", "asset__network")
    autocomplete_fields = ("entry", "asset")
    search_fields = ("pay_to__exact", "entry__public_id__exact")
    search_help_text = "The whole payTo address, or the entry's public id."
    empty_hint = "No way to pay yet. Add one to an entry: without it the entry cannot be listed."
    fieldsets = (
        (None, {"fields": ("entry", "scheme", "asset", "amount", "pay_to")}),
        ("Terms", {"fields": ("max_timeout_seconds", "extra")}),
    )

    @admin.display(description="price")
    def price(self, row: PaymentOption) -> SafeString | str:
        return amount(row.amount, row.asset)

    @admin.display(description="network")
    def network(self, row: PaymentOption) -> str:
        return row.asset.network.name
