"""Policies: what may be bought, of whom, up to how much a call. A version that was in force is never changed."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.forms.models import BaseInlineFormSet
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from lensproject.core.admin import CuratedAdmin, CuratedForm
from lensproject.core.admin.choosing import ChoosingFields
from lensproject.core.admin.curated import said
from lensproject.core.admin.display import amount, badge, when
from lensproject.core.admin.forms import AmountInput, parsed_amounts
from lensproject.core.admin.words import WordsField
from lensproject.core.models import Curated
from payments.admin.publishing import PublishPolicy, RetirePolicy
from payments.models import Policy, PolicyAsset
from payments.policy.allowed_assets import set_allowed_assets
from payments.policy.versions import create_draft, revise_draft

STATES = {"draft": "quiet", "published": "good", "retired": "quiet"}
ALL = "With commas between them; * allows all, none allows nothing."


class PolicyForm(CuratedForm):
    networks = WordsField(help_text=f"CAIP-2 names, such as stellar:testnet. {ALL}")
    sellers = WordsField(help_text=f"Public ids of sellers. {ALL}")
    hosts = WordsField(help_text=f"Hosts that paid_call may reach. {ALL}")
    tools = WordsField(help_text=f"Names of MCP tools. {ALL}")


class PolicyAssetForm(forms.ModelForm[PolicyAsset]):
    """Amounts are typed in the asset of their row."""

    per_call_maximum = AmountInput(label="Per-call maximum")
    approve_above = AmountInput(label="A person approves above", required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("per_call_maximum", "approve_above"):
            field = self.fields[name]
            if self.instance.pk is not None and isinstance(field, AmountInput):
                field.of(self.instance.asset, None)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if self.instance.pk is not None and "asset" in self.changed_data:
            self.add_error("asset", "The amounts are in the asset of this row; take it off and add another one.")
        parsed_amounts(self, {"per_call_maximum": "asset", "approve_above": "asset"})
        return cleaned


class PolicyAssetInline(ChoosingFields[PolicyAsset], admin.StackedInline[PolicyAsset, Policy]):
    """What the rows say is handed to the service; the formset itself saves nothing."""

    model = PolicyAsset
    form = PolicyAssetForm
    extra = 1
    autocomplete_fields = ("asset",)
    verbose_name_plural = "allowed assets"

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).select_related("asset__network")

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Who may see a policy that cannot be edited sees its assets as text on the page instead."""
        return self.has_change_permission(request, obj)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self._open(obj) and super().has_add_permission(request, obj)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self._open(obj) and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Taking an asset off a draft is a change of the draft."""
        return self.has_change_permission(request, obj)

    def _open(self, policy: Any) -> bool:
        return policy is None or policy.state == Policy.State.DRAFT


@admin.register(Policy)
class PolicyAdmin(CuratedAdmin[Policy]):
    """A draft is edited; putting it in force is another permission's business, on a page that shows the difference."""

    form = PolicyForm
    revise = staticmethod(revise_draft)
    dangers = (PublishPolicy(), RetirePolicy())
    inlines = (PolicyAssetInline,)
    fixed = ("organisation", "team", "agent")
    list_display = ("holder_shown", "policy_version", "state_shown", when("updated_at", "changed"))
    list_filter = ("state",)
    list_select_related = ("organisation", "team__organisation", "agent")
    autocomplete_fields = ("organisation", "team", "agent")
    readonly_fields = ("policy_version", "state_shown", "allowed")
    empty_hint = (
        "No policy yet. Without one in force nothing is spent: draft one for an agent, a team or an organisation."
    )

    def declared_fieldsets(self, request: HttpRequest, obj: Policy | None) -> Any:
        closed = obj is not None and not self.has_change_permission(request, obj)
        allowed = ("allowed",) if closed else ()
        versions = ("policy_version", "state_shown") if obj is not None else ()
        scope = {"fields": ("organisation", "team", "agent", *versions), "description": "Exactly one of the three."}
        return [
            ("Whose spending", scope),
            ("What is allowed", {"fields": ("networks", "sellers", "hosts", "tools", *allowed)}),
            ("Of whom", {"fields": ("allow_unverified_domain", "refuse_changed_pay_to")}),
        ]

    def has_change_permission(self, request: HttpRequest, obj: Policy | None = None) -> bool:
        """Decisions were made by what was in force; it is only looked at."""
        return super().has_change_permission(request, obj) and (obj is None or obj.state == Policy.State.DRAFT)

    def write(self, request: HttpRequest, obj: Policy, form: CuratedForm, change: bool) -> Curated:
        """Policy and assets in one; the assets come from the formset, in `save_formset`."""
        if change:
            return super().write(request, obj, form, change)
        return create_draft(form.values, assets=(), **said(request, form))

    def save_formset(
        self, request: HttpRequest, form: Any, formset: BaseInlineFormSet[Any, Any, Any], change: bool
    ) -> None:
        """The rows that are to be there, through the service."""
        formset.save(commit=False)
        rows = [single.cleaned_data for single in formset.forms if single.cleaned_data]
        names = ("asset", "per_call_maximum", "approve_above")
        kept = [{name: row[name] for name in names} for row in rows if not row.get("DELETE") and row.get("asset")]
        policy = Policy.objects.get(pk=form.instance.pk)
        set_allowed_assets(policy, kept, row_version=policy.row_version, **said(request, form))

    @admin.display(description="of")
    def holder_shown(self, row: Policy) -> str:
        return f"{row.scope.capitalize()} {row.holder}"

    @admin.display(description="state", ordering="state")
    def state_shown(self, row: Policy) -> SafeString:
        return badge(row.get_state_display(), STATES[row.state])

    @admin.display(description="allowed assets")
    def allowed(self, row: Policy) -> SafeString | str:
        rows = row.assets.select_related("asset__network")
        lines = ((r.asset, amount(r.per_call_maximum, r.asset), amount(r.approve_above, r.asset)) for r in rows)
        found = format_html_join("", "<li>{}: up to {} a call, a person approves above {}</li>", lines)
        return format_html("<ul>{}</ul>", found) if found else "none"
