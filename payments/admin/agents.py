"""Agents: the spenders, with their keys, policies, budgets and what is left in them."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from bazaar.models import Network
from lensproject.core import clock
from lensproject.core.admin import CuratedAdmin
from lensproject.core.admin.display import badge, bar, when
from lensproject.core.admin.links import add_related, page_of, related_list
from payments.admin.key_states import key_state
from payments.admin.pausing import CloseAgent, PauseAgent, ResumeAgent
from payments.budgets.standings import Standing, standings
from payments.models import Agent, ApiKey, Budget, PayerAccount, Policy
from payments.models.scopes import above

STATES = {"active": "good", "paused": "wait", "closed": "quiet"}
MOST_KEYS = 20


@admin.register(Agent)
class AgentAdmin(CuratedAdmin[Agent]):
    """An agent stays in its team. Pausing, resuming and closing have a page each."""

    dangers = (PauseAgent(), ResumeAgent(), CloseAgent())
    fixed = ("team",)
    list_display = ("name", "team", "state_shown", "danger_links", "owner", when("updated_at", "changed"))
    list_filter = ("state",)
    list_select_related = ("team__organisation", "owner")
    autocomplete_fields = ("team", "owner", "default_asset")
    search_fields = ("name__istartswith", "public_id__exact")
    search_help_text = "The beginning of the name, or the whole public id."
    readonly_fields = ("public_id", "state_shown", "budgets", "keys", "policies", "accounts")
    empty_hint = "No agent yet. Add one to a team; then a key, a policy and a budget. Without these it spends nothing."
    fieldsets = (
        (None, {"fields": ("name", "team", "owner", "default_asset", "state_shown", "public_id")}),
        ("What it may spend", {"fields": ("budgets", "policies")}),
        ("How it is known", {"fields": ("keys", "accounts")}),
    )

    @admin.display(description="state", ordering="state")
    def state_shown(self, row: Agent) -> SafeString | str:
        return "Begins active." if row._state.adding else badge(row.get_state_display(), STATES[row.state])

    @admin.display(description="budgets above it")
    def budgets(self, row: Agent) -> SafeString | str:
        """Each limit that applies with how much of it is used, the agent's own first."""
        if row._state.adding:
            return "–"
        names = list(Network.objects.values_list("name", flat=True))
        lines = ((page_of(s.budget), _use(s)) for s in standings(row, names, clock.now()))
        found = format_html_join("", "<li>{} {}</li>", lines)
        none = "" if found else "None: it spends nothing. "
        return format_html(
            '<ul class="rows">{}</ul>{}{}', found, none, add_related(Budget, "agent", row, "Add a budget")
        )

    @admin.display(description="keys")
    def keys(self, row: Agent) -> SafeString | str:
        if row._state.adding:
            return "–"
        lines = ((page_of(key), key_state(key)) for key in row.api_keys.order_by("-id")[:MOST_KEYS])
        found = format_html_join("", "<li>{} {}</li>", lines)
        return format_html('<ul class="rows">{}</ul>{}', found, self._more(ApiKey, row, "All keys", "Issue a key"))

    @admin.display(description="policies above it")
    def policies(self, row: Agent) -> SafeString | str:
        if row._state.adding:
            return "–"
        scopes = ("organisation", "team__organisation", "agent")
        policies = Policy.objects.filter(above(row), state=Policy.State.PUBLISHED).select_related(*scopes)
        found = format_html_join("", "<li>{}</li>", ((page_of(policy),) for policy in policies))
        none = "" if found else "None in force: it spends nothing. "
        more = self._more(Policy, row, "All versions of its own", "Draft a policy")
        return format_html('<ul class="rows">{}</ul>{}{}', found, none, more)

    @admin.display(description="payer accounts")
    def accounts(self, row: Agent) -> SafeString | str:
        return "–" if row._state.adding else self._more(PayerAccount, row, "Payer accounts", "Add an account")

    def _more(self, model: Any, row: Agent, all_of_them: str, one_more: str) -> SafeString:
        links = related_list(model, "agent", row, all_of_them), add_related(model, "agent", row, one_more)
        return format_html("{} · {}", *links)

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """Whoever adds an agent answers for it, unless they say otherwise."""
        return {"owner": str(request.user.pk), **super().get_changeform_initial_data(request)}


def _use(standing: Standing) -> SafeString | str:
    if not standing.is_counted:
        return ""
    return bar(standing.spent, standing.held, standing.limit, standing.budget.asset)
