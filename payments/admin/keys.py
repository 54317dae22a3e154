"""API keys: issued, revised, replaced, revoked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import get_random_string
from django.utils.safestring import SafeString

from bazaar.models import Network
from lensproject.core import clock
from lensproject.core.admin import CuratedAdmin, CuratedForm
from lensproject.core.admin.choosing import ChosenRows
from lensproject.core.admin.curated import said
from lensproject.core.admin.display import when
from lensproject.core.admin.words import WordsField
from lensproject.core.models import Curated
from payments.admin.attention import expiring_keys
from payments.admin.key_changes import RevokeKey, RotateKey
from payments.admin.key_states import key_state
from payments.admin.shown_once import sent_once, show_token
from payments.authentication.keys import issue_key, revise_key
from payments.models import ApiKey


class LifeFilter(admin.SimpleListFilter):
    title = "whether it works"
    parameter_name = "life"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Any:
        return (
            ("works", "Works"),
            ("expiring", "Expires within two weeks"),
            ("expired", "Expired"),
            ("revoked", "Revoked"),
        )

    def queryset(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> QuerySet[ApiKey]:
        now = clock.now()
        if self.value() == "works":
            return queryset.filter(revoked_at__isnull=True).exclude(expires_at__lte=now)
        if self.value() == "expiring":
            return queryset & expiring_keys(now)
        if self.value() == "expired":
            return queryset.filter(revoked_at__isnull=True, expires_at__lte=now)
        return queryset.filter(revoked_at__isnull=False) if self.value() == "revoked" else queryset


class KeyForm(CuratedForm):
    allowed_ips = WordsField(
        label="Allowed IP ranges", help_text="Such as 10.0.0.0/8, with commas between them. None: from everywhere."
    )
    networks = ChosenRows(
        Network.objects.filter(enabled=True),
        widget=forms.CheckboxSelectMultiple,
        help_text="Where the key may be used. A key is never widened to mainnet; issue another one for it.",
    )

    once = forms.CharField(required=False, max_length=32, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk is None:
            self.initial["once"] = get_random_string(32)
        else:
            self.initial["networks"] = list(self.instance.networks.values_list("network_id", flat=True))


@admin.register(ApiKey)
class ApiKeyAdmin(CuratedAdmin[ApiKey]):
    """A key stays with whom it was issued to. Its secret is shown when it is issued and never again."""

    form = KeyForm
    dangers = (RotateKey(), RevokeKey())
    fixed = ("user", "organisation", "agent", "seller")
    read_as: ClassVar[Mapping[str, str]] = {"expires_at": "state_shown", "allowed_ips": "ranges_shown"}
    list_display = ("name", "key_id", "agent", "state_shown", "scopes_shown", when("last_used_at", "last used"))
    list_filter = (LifeFilter, "can_pay")
    list_select_related = ("agent",)
    autocomplete_fields = ("organisation", "agent", "seller", "user")
    search_fields = ("key_id__exact", "name__istartswith")
    search_help_text = "The whole key id (between the underscores of the key), or the beginning of the name."
    readonly_fields = ("key_id", "state_shown", "last_used")
    empty_hint = "No key yet. Issue one to an agent; its secret is shown once."

    def declared_fieldsets(self, request: HttpRequest, obj: ApiKey | None) -> Any:
        shown = ("key_id", "state_shown", "last_used") if obj is not None else ()
        once = ("once",) if obj is None else ()
        networks = "networks" if obj is None or self.has_change_permission(request, obj) else "networks_shown"
        return [
            (None, {"fields": ("name", *shown, *once)}),
            ("Whose it is", {"fields": ("organisation", "agent", "seller", "user")}),
            ("What it opens", {"fields": ("can_read", "can_pay", "can_write_catalog", "can_settle", networks)}),
            ("When and from where", {"fields": ("expires_at", "allowed_ips")}),
        ]

    def has_change_permission(self, request: HttpRequest, obj: ApiKey | None = None) -> bool:
        """A revoked key never comes back and is only looked at."""
        return super().has_change_permission(request, obj) and (obj is None or obj.revoked_at is None)

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        return {"user": str(request.user.pk), **super().get_changeform_initial_data(request)}

    def write(self, request: HttpRequest, obj: ApiKey, form: CuratedForm, change: bool) -> Curated:
        networks = form.cleaned_data["networks"]
        if change:
            row, version = ApiKey.objects.get(pk=obj.pk), form.cleaned_data["row_version"]
            return revise_key(row, form.values, row_version=version, networks=networks, **said(request, form))
        with sent_once(form.cleaned_data["once"]):
            key, token = issue_key(form.values, networks=networks, **said(request, form))
        # Only for the answer to this request.
        vars(request)["issued_token"] = token
        return key

    def response_add(self, request: HttpRequest, obj: ApiKey, post_url_continue: str | None = None) -> HttpResponse:
        """The page that shows the secret, in place of a redirect."""
        return show_token(request, obj, vars(request).pop("issued_token"))

    @admin.display(description="state")
    def state_shown(self, row: ApiKey) -> SafeString:
        return key_state(row)

    @admin.display(description="scopes")
    def scopes_shown(self, row: ApiKey) -> str:
        return ", ".join(sorted(row.scopes))

    @admin.display(description="last used")
    def last_used(self, row: ApiKey) -> SafeString | str:
        return when("last_used_at", "")(row)

    @admin.display(description="networks")
    def networks_shown(self, row: ApiKey) -> str:
        return ", ".join(sorted(row.networks.values_list("network__name", flat=True)))

    @admin.display(description="allowed IP ranges")
    def ranges_shown(self, row: ApiKey) -> str:
        return ", ".join(row.allowed_ips) or "from everywhere"
