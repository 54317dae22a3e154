"""The audit log: every edit that a person made on the desk."""

from __future__ import annotations

import json
from typing import Any

from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.utils.html import format_html
from django.utils.safestring import SafeString

from lensproject.core.admin import ReadOnlyAdmin
from lensproject.core.admin.display import when
from lensproject.core.admin.filters import WhenFilter


class EditTime(WhenFilter):
    parameter_name = "time"
    field = "action_time"
    preset = "7d"


@admin.register(LogEntry)
class LogEntryAdmin(ReadOnlyAdmin[LogEntry]):
    """Who, when, which row, and why. What was there before and after is in the row's own history."""

    ordering = ("-id",)
    sortable_by = ()
    list_display = (when("action_time", "when"), "user", "action", "thing", "why")
    list_display_links = ("action",)
    list_filter = (EditTime, "action_flag")
    list_select_related = ("user", "content_type")
    search_fields = ("user__username__exact", "object_id__exact")
    search_help_text = "The whole name of a person, or the number of a row."
    empty_hint = "Nobody has edited anything yet."
    fieldsets = ((None, {"fields": ("at", "user", "action", "thing", "why", "change_message")}),)

    @admin.display(description="when")
    def at(self, row: LogEntry) -> SafeString | str:
        return when("action_time", "")(row)

    @admin.display(description="what")
    def action(self, row: LogEntry) -> str:
        return row.get_action_flag_display()

    @admin.display(description="row")
    def thing(self, row: LogEntry) -> SafeString | str:
        return edited_row(row)

    @admin.display(description="why")
    def why(self, row: LogEntry) -> str:
        return reason_of(row)


def edited_row(entry: LogEntry) -> SafeString | str:
    """The kind and name of the row, with a link to its page."""
    kind = entry.content_type.name if entry.content_type else "row"
    url = None if entry.is_deletion() else entry.get_admin_url()
    if url is None:
        return f"{kind} {entry.object_repr}"
    return format_html('{} <a href="{}">{}</a>', kind, url, entry.object_repr)


def reason_of(entry: LogEntry) -> str:
    """The reason that was given, or for older kinds of messages the message."""
    try:
        parts: Any = json.loads(entry.change_message)
    except ValueError:
        return entry.change_message
    if not isinstance(parts, list):
        return entry.change_message
    reasons = [str(part["reason"]) for part in parts if isinstance(part, dict) and "reason" in part]
    return " ".join(reasons) or str(entry.get_change_message())
