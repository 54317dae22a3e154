"""What the facilitator settles, the transactions it made, and the accounts they leave from. Nobody edits them."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.utils.safestring import SafeString

from lensproject.core.admin import ReadOnlyAdmin
from lensproject.core.admin.display import amount, badge, moment
from lensproject.core.admin.filters import WhenFilter
from payments.models import FacilitatorSettlement, SettlementAttempt, SourceAccount

MARKS = {
    "working": "wait",
    "open": "wait",
    "settled": "good",
    "success": "good",
    "active": "good",
    "failed": "bad",
    "low": "bad",
    "paused": "quiet",
}


def state_badge(row: Any) -> SafeString:
    return badge(row.get_state_display(), MARKS.get(row.state, "quiet"))


class CreatedFilter(WhenFilter):
    parameter_name = "time"
    field = "created_at"


@admin.register(FacilitatorSettlement)
class FacilitatorSettlementAdmin(ReadOnlyAdmin[FacilitatorSettlement]):
    """One signed payment that the facilitator was asked to settle."""

    list_display = ("public_id", "asked", "paid", "pay_to", "shown_state", "reason")
    list_filter = (CreatedFilter, "state", "network__name")
    list_select_related = ("asset", "network")
    search_fields = ("public_id__exact", "transaction__exact", "payer__exact", "pay_to__exact")
    search_help_text = "A whole public id, transaction hash, payer or payTo."
    empty_hint = "Nothing yet: a row is made when a verified payment is settled for the first time."
    fieldsets = (
        (None, {"fields": ("public_id", "network", "shown_state", "reason", "transaction", "ledger")}),
        ("Payment", {"fields": ("payer", "pay_to", "paid", "nonce", "expiration")}),
        ("Asked", {"fields": ("resource_url", "api_key", "payload_hash", "requirements_hash")}),
        ("Time", {"fields": ("asked", "ended", "leased")}),
    )

    @admin.display(description="amount")
    def paid(self, row: FacilitatorSettlement) -> SafeString | str:
        return amount(row.units, row.asset)

    @admin.display(description="state")
    def shown_state(self, row: FacilitatorSettlement) -> SafeString:
        return state_badge(row)

    @admin.display(description="asked")
    def asked(self, row: FacilitatorSettlement) -> SafeString | str:
        return moment(row.created_at)

    @admin.display(description="ended")
    def ended(self, row: FacilitatorSettlement) -> SafeString | str:
        return moment(row.ended_at)

    @admin.display(description="worked on until")
    def leased(self, row: FacilitatorSettlement) -> SafeString | str:
        return moment(row.leased_until)


@admin.register(SettlementAttempt)
class SettlementAttemptAdmin(ReadOnlyAdmin[SettlementAttempt]):
    """One transaction of a settlement. Its bytes are shown nowhere."""

    list_display = ("inner_hash", "settlement", "source_account", "made", "shown_state", "fee_charged")
    list_filter = (CreatedFilter, "state")
    list_select_related = ("settlement", "source_account__network")
    search_fields = ("inner_hash__exact", "outer_hash__exact", "settlement__public_id__exact")
    search_help_text = "A whole transaction hash, or the public id of a settlement."
    empty_hint = "Nothing yet: a row is made before a transaction is sent for the first time."
    fieldsets = (
        (None, {"fields": ("settlement", "shown_state", "inner_hash", "outer_hash", "unanswered")}),
        ("Transaction", {"fields": ("source_account", "sequence", "made_at_ledger", "max_ledger")}),
        ("Fees", {"fields": ("fee_ceiling", "fee_charged")}),
        ("Time", {"fields": ("made", "ended")}),
    )

    @admin.display(description="state")
    def shown_state(self, row: SettlementAttempt) -> SafeString:
        return state_badge(row)

    @admin.display(description="made")
    def made(self, row: SettlementAttempt) -> SafeString | str:
        return moment(row.created_at)

    @admin.display(description="ended")
    def ended(self, row: SettlementAttempt) -> SafeString | str:
        return moment(row.ended_at)


@admin.register(SourceAccount)
class SourceAccountAdmin(ReadOnlyAdmin[SourceAccount]):
    """An account that transactions leave from. Its key is a file, named here."""

    list_display = ("address", "network", "shown_state", "key_name", "used")
    list_filter = ("state", "network__name")
    list_select_related = ("network",)
    search_fields = ("address__exact",)
    search_help_text = "The whole address."
    empty_hint = "No account yet, so nothing is settled. docs/facilitator.md says how one is made."
    fieldsets = ((None, {"fields": ("network", "address", "key_name", "shown_state", "holder", "leased", "used")}),)

    @admin.display(description="state")
    def shown_state(self, row: SourceAccount) -> SafeString:
        return state_badge(row)

    @admin.display(description="last used")
    def used(self, row: SourceAccount) -> SafeString | str:
        return moment(row.used_at)

    @admin.display(description="leased until")
    def leased(self, row: SourceAccount) -> SafeString | str:
        return moment(row.leased_until)
