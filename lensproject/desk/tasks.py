"""Long work that a person started, and what became of it."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django_tasks_db.models import DBTaskResult

from lensproject.core.admin import ReadOnlyAdmin
from lensproject.core.admin.display import badge, moment, when

STATES = {"READY": "quiet", "RUNNING": "wait", "SUCCESSFUL": "good", "FAILED": "bad"}


@admin.register(DBTaskResult)
class TaskAdmin(ReadOnlyAdmin[Any]):
    """A task that a killed worker held goes back to the queue by itself if it may be repeated."""

    ordering = ("-enqueued_at",)
    sortable_by = ()
    list_display = ("task_path", "state", when("enqueued_at", "asked for"), when("finished_at", "ended"))
    list_filter = ("status",)
    search_fields = ("id__exact",)
    search_help_text = "The whole id of a task."
    empty_hint = "No task yet. Imports, exports and backfills appear here, with their progress and what went wrong."
    fieldsets = (
        (None, {"fields": ("task_path", "state", "args_kwargs", "return_value")}),
        ("When", {"fields": ("asked_for", "started", "ended", "worker_ids")}),
        ("What went wrong", {"fields": ("exception_class_path", "trace")}),
    )

    @admin.display(description="state")
    def state(self, row: Any) -> SafeString:
        return badge(row.get_status_display(), STATES.get(row.status, "quiet"))

    @admin.display(description="asked for")
    def asked_for(self, row: Any) -> SafeString | str:
        return moment(row.enqueued_at)

    @admin.display(description="started")
    def started(self, row: Any) -> SafeString | str:
        return moment(row.started_at)

    @admin.display(description="ended")
    def ended(self, row: Any) -> SafeString | str:
        return moment(row.finished_at)

    @admin.display(description="traceback")
    def trace(self, row: Any) -> SafeString | str:
        return format_html('<pre class="mono">{}</pre>', row.traceback) if row.traceback else "–"
