"""Organisations and their teams."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from lensproject.core.admin import CuratedAdmin
from lensproject.core.admin.display import when
from lensproject.core.admin.links import add_related, related_list
from payments.models import Agent, ApiKey, Budget, Organisation, Policy, Team


@admin.register(Organisation)
class OrganisationAdmin(CuratedAdmin[Organisation]):
    """The outermost scope of policies and budgets."""

    list_display = ("name", "public_id", when("updated_at", "changed"))
    search_fields = ("name__istartswith", "public_id__exact")
    search_help_text = "The beginning of the name, or the whole public id."
    readonly_fields = ("public_id", "belongings")
    empty_hint = "No organisation yet. Add one; then a team in it, and an agent in the team."
    fieldsets = ((None, {"fields": ("name", "public_id", "belongings")}),)

    @admin.display(description="what it has")
    def belongings(self, row: Organisation) -> SafeString | str:
        if row._state.adding:
            return "–"
        models = (Team, ApiKey, Budget, Policy)
        links = [related_list(model, "organisation", row) for model in models]
        return format_html_join(" · ", "{}", ((link,) for link in links))


@admin.register(Team)
class TeamAdmin(CuratedAdmin[Team]):
    """A part of an organisation; it stays in it."""

    fixed = ("organisation",)
    list_display = ("name", "organisation", when("updated_at", "changed"))
    list_select_related = ("organisation",)
    autocomplete_fields = ("organisation",)
    search_fields = ("name__istartswith",)
    search_help_text = "The beginning of the name."
    readonly_fields = ("belongings",)
    empty_hint = "No team yet. Add one to an organisation; agents belong to teams."
    fieldsets = ((None, {"fields": ("organisation", "name", "belongings")}),)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Team]:
        """With the organisation: a team's name has it, in what is offered to choose from too."""
        return super().get_queryset(request).select_related("organisation")

    @admin.display(description="what it has")
    def belongings(self, row: Team) -> SafeString | str:
        if row._state.adding:
            return "–"
        links = [*(related_list(model, "team", row) for model in (Agent, Budget, Policy))]
        return format_html_join(
            " · ", "{}", ((link,) for link in [*links, add_related(Agent, "team", row, "Add agent")])
        )
