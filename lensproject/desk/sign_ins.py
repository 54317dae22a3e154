"""Failed sign-ins: who is locked out, and from where somebody tries."""

from __future__ import annotations

from typing import Any

from axes.models import AccessAttempt, AccessFailureLog
from django.conf import settings
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from lensproject.core.admin import ReadOnlyAdmin
from lensproject.core.admin.display import badge, moment, when
from lensproject.core.admin.filters import WhenFilter

SEARCH = ("username__exact", "ip_address__exact")
SEARCH_HELP = "The whole name or IP address."


class LockFilter(admin.SimpleListFilter):
    title = "lock"
    parameter_name = "lock"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Any:
        return (("locked", "Locked out"), ("open", "Not locked out"))

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        limit = settings.AXES_FAILURE_LIMIT
        if self.value() == "locked":
            return queryset.filter(failures_since_start__gte=limit)
        return queryset.filter(failures_since_start__lt=limit) if self.value() == "open" else queryset


@admin.register(AccessAttempt)
class AccessAttemptAdmin(ReadOnlyAdmin[Any]):
    """A lock ends by itself after AXES_COOLOFF_TIME; `manage.py axes_reset_username` ends it at once."""

    sortable_by = ()
    ordering = ("-id",)
    list_display = ("username", "ip_address", "lock", "failures_since_start", when("attempt_time", "last tried"))
    list_filter = (LockFilter,)
    search_fields = SEARCH
    search_help_text = SEARCH_HELP
    empty_hint = "Nobody has failed to sign in lately."
    fieldsets = ((None, {"fields": ("username", "ip_address", "user_agent", "lock", "failures_since_start", "tried")}),)

    @admin.display(description="lock")
    def lock(self, row: Any) -> SafeString:
        locked = row.failures_since_start >= settings.AXES_FAILURE_LIMIT
        return badge("Locked out", "bad") if locked else badge("Not locked out", "quiet")

    @admin.display(description="last tried")
    def tried(self, row: Any) -> SafeString | str:
        return moment(row.attempt_time)


class FailureTime(WhenFilter):
    parameter_name = "time"
    field = "attempt_time"
    preset = "7d"


@admin.register(AccessFailureLog)
class AccessFailureLogAdmin(ReadOnlyAdmin[Any]):
    """Every failed sign-in, newest first."""

    sortable_by = ()
    ordering = ("-id",)
    list_display = (when("attempt_time", "when"), "username", "ip_address", "locked_out")
    list_display_links = ("username",)
    list_filter = (FailureTime, "locked_out")
    search_fields = SEARCH
    search_help_text = SEARCH_HELP
    empty_hint = "Nobody has failed to sign in."
    fieldsets = ((None, {"fields": ("tried", "username", "ip_address", "user_agent", "locked_out")}),)

    @admin.display(description="when")
    def tried(self, row: Any) -> SafeString | str:
        return moment(row.attempt_time)
