"""One dangerous change to several rows: an explicit selection, row by row under the service, each outcome reported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.contrib import messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from lensproject.core.admin.dangers import Danger, ReasonForm
from lensproject.core.admin.forms import refusals
from lensproject.core.admin.refusing import one_change
from lensproject.core.errors import Refusal

MOST_ROWS = 200
MOST_NAMED = 20


@dataclass
class Outcome:
    """What became of each row: done, skipped with the reason why, or failed with the mistake."""

    done: list[Any] = field(default_factory=list)
    skipped: list[tuple[Any, str]] = field(default_factory=list)
    failed: list[tuple[Any, str]] = field(default_factory=list)

    def text(self, past: str, page_of: Callable[[Any], str]) -> SafeString:
        """`12 paused, 3 skipped: A (already paused) …, 1 failed: B (…)`, each row that needs a look with its link."""
        parts = [format_html("{} {}", len(self.done), past)]
        for word, rows in (("skipped", self.skipped), ("failed", self.failed)):
            if rows:
                named = format_html_join(
                    ", ", '<a href="{}">{}</a> ({})', ((page_of(row), row, why) for row, why in rows[:MOST_NAMED])
                )
                more = f" and {len(rows) - MOST_NAMED} more" if len(rows) > MOST_NAMED else ""
                parts.append(format_html("{} {}: {}{}", len(rows), word, named, more))
        return format_html_join("; ", "{}", ((part,) for part in parts))


def bulk_action(danger: Danger[Any], name: str) -> Callable[..., HttpResponse | None]:
    """The admin action of a dangerous change: a page that lists the rows and asks why, then one row after another."""

    def action(page: Any, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse | None:
        rows = list(queryset[: MOST_ROWS + 1])
        if len(rows) > MOST_ROWS:
            page.message_user(request, f"Select at most {MOST_ROWS} rows; nothing was changed.", messages.ERROR)
            return None
        form = _BulkReason(request.POST if "reason" in request.POST else None)
        if not form.is_valid():
            return _ask(page, request, danger, name, rows, form)
        outcome = _each(page, request, danger, rows, form.cleaned_data["reason"])
        level = messages.WARNING if outcome.failed or outcome.skipped else messages.SUCCESS
        page.message_user(request, outcome.text(danger.done, page._page_of), level)
        return None

    action.__name__ = name
    return action


class _BulkReason(ReasonForm):
    """Each row's version is read when its turn comes."""

    row_version = None  # type: ignore[assignment]


def _each(page: Any, request: HttpRequest, danger: Danger[Any], rows: list[Any], reason: str) -> Outcome:
    outcome = Outcome()
    for row in rows:
        if (why_not := danger.unavailable(row)) is not None:
            outcome.skipped.append((row, why_not))
            continue
        try:
            with one_change():
                page.perform(request, row, danger, {"reason": reason}, row.row_version)
        except (ValidationError, Refusal) as refused:
            outcome.failed.append((row, " ".join(message for _, message in refusals(refused))))
        else:
            outcome.done.append(row)
    return outcome


def _ask(
    page: Any, request: HttpRequest, danger: Danger[Any], name: str, rows: list[Any], form: ReasonForm
) -> HttpResponse:
    kind = page.opts.verbose_name if len(rows) == 1 else page.opts.verbose_name_plural
    context = {
        **page.admin_site.each_context(request),
        "title": f"{danger.label} {len(rows)} {kind}",
        "opts": page.opts,
        "danger": danger,
        "name": name,
        "rows": [(row, danger.unavailable(row)) for row in rows],
        "checkbox": ACTION_CHECKBOX_NAME,
        "form": form,
    }
    return TemplateResponse(request, "desk/bulk.html", context)
