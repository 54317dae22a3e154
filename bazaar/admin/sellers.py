"""Sellers, and the addresses that they are paid to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from django.contrib import admin
from django.utils.safestring import SafeString

from bazaar.catalog.sellers import create_address, create_seller, revise_address, revise_seller
from bazaar.models import CatalogEntry, Seller, SellerAddress
from lensproject.core.admin import CuratedAdmin
from lensproject.core.admin.display import badge, moment, when
from lensproject.core.admin.links import related_list

STATES = {"active": "good", "paused": "wait", "closed": "quiet"}


@admin.register(Seller)
class SellerAdmin(CuratedAdmin[Seller]):
    """Who sells. A changed domain is a domain that nobody has proved."""

    create = staticmethod(create_seller)
    revise = staticmethod(revise_seller)
    list_display = ("name", "domain", "proof", "state_shown", "owner", when("updated_at", "changed"))
    list_filter = ("state",)
    list_select_related = ("owner",)
    autocomplete_fields = ("owner",)
    search_fields = ("name__istartswith", "domain__exact", "public_id__exact")
    search_help_text = "The beginning of the name, or the whole domain or public id."
    readonly_fields = ("public_id", "proof", "offers")
    empty_hint = "No seller yet. Add one; then its entries, and the addresses that it is paid to."
    read_as: ClassVar[Mapping[str, str]] = {"state": "state_shown"}
    fieldsets = (
        (None, {"fields": ("name", "owner", "state", "public_id")}),
        ("Domain", {"fields": ("domain", "proof")}),
        ("What it has", {"fields": ("offers",)}),
    )

    @admin.display(description="domain proved")
    def proof(self, row: Seller) -> SafeString | str:
        return badge("Not proved", "wait") if row.domain_verified_at is None else moment(row.domain_verified_at)

    @admin.display(description="state", ordering="state")
    def state_shown(self, row: Seller) -> SafeString:
        return badge(row.get_state_display(), STATES[row.state])

    @admin.display(description="offers")
    def offers(self, row: Seller) -> SafeString | str:
        """Links to the lists that have its rows."""
        if row._state.adding:
            return "–"
        return related_list(CatalogEntry, "seller", row) + " · " + related_list(SellerAddress, "seller", row)


@admin.register(SellerAddress)
class SellerAddressAdmin(CuratedAdmin[SellerAddress]):
    """An address is never changed; a seller that is paid elsewhere gets another row."""

    create = staticmethod(create_address)
    revise = staticmethod(revise_address)
    fixed = ("seller", "network", "address")
    list_display = ("address", "seller", "network", "proof")
    list_select_related = ("seller", "network")
    list_filter = ("network__name",)
    autocomplete_fields = ("seller",)
    search_fields = ("address__exact",)
    search_help_text = "The whole address."
    readonly_fields = ("proof",)
    empty_hint = "No address yet. Add the account of a seller that payments go to."
    fieldsets = ((None, {"fields": ("seller", "network", "address", "proof")}),)

    @admin.display(description="proved")
    def proof(self, row: SellerAddress) -> SafeString | str:
        return badge("Not proved", "wait") if row.proved_at is None else moment(row.proved_at)
