"""Assets: what payments may be made in."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Field, QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from bazaar.catalog.assets import create_asset, revise_asset
from bazaar.models import Asset
from lensproject.core.admin import CuratedAdmin
from lensproject.core.admin.display import badge


@admin.register(Asset)
class AssetAdmin(CuratedAdmin[Asset]):
    """What an asset is never changes; whether it is listed does. Native and classic ones get their contract."""

    create = staticmethod(create_asset)
    revise = staticmethod(revise_asset)
    fixed = ("network", "kind", "code", "issuer", "contract", "decimals")
    list_display = ("code", "network", "kind", "listed", "home_domain", "decimals")
    list_filter = ("enabled", "kind")
    list_select_related = ("network",)
    search_fields = ("code__startswith", "issuer__exact", "contract__exact")
    search_help_text = "The beginning of the code, or the whole issuer or contract address."
    empty_hint = "No asset yet. Add one that payments may be made in; its network must be there first."
    fieldsets = (
        (None, {"fields": ("network", "kind", "code", "issuer")}),
        ("Token contract", {"fields": ("contract", "decimals")}),
        ("Listing", {"fields": ("enabled", "home_domain")}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Asset]:
        """With the network: an asset's name has it, in lists and in what is offered to choose from."""
        return super().get_queryset(request).select_related("network")

    def formfield_for_dbfield(self, db_field: Field[Any, Any], request: HttpRequest, **kwargs: Any) -> Any:
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if db_field.name == "contract" and field is not None:
            field.required = False
            field.help_text = "For a token contract only; otherwise it is derived."
        return field

    @admin.display(description="state", ordering="enabled")
    def listed(self, row: Asset) -> SafeString:
        return badge("Listed", "good") if row.enabled else badge("Off the list", "quiet")
