"""Links from a row to the lists of what belongs to it."""

from __future__ import annotations

from django.db.models import Model
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString


def related_list(model: type[Model], field: str, row: Model, words: str | None = None) -> SafeString:
    """A link to the list of the rows that point here. No count: the list says it."""
    opts = model._meta
    url = reverse(f"admin:{opts.app_label}_{opts.model_name}_changelist")
    return format_html(
        '<a href="{}?{}__id__exact={}">{}</a>', url, field, row.pk, words or str(opts.verbose_name_plural).capitalize()
    )


def add_related(model: type[Model], field: str, row: Model, words: str) -> SafeString:
    """A link to a new row that points here already."""
    opts = model._meta
    url = reverse(f"admin:{opts.app_label}_{opts.model_name}_add")
    return format_html('<a class="addlink" href="{}?{}={}">{}</a>', url, field, row.pk, words)


def page_of(row: Model, words: str | None = None) -> SafeString:
    """A link to a row's own page."""
    opts = row._meta
    url = reverse(f"admin:{opts.app_label}_{opts.model_name}_change", args=(row.pk,))
    return format_html('<a href="{}">{}</a>', url, words or str(row))
