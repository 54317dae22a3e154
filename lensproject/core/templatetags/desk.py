"""Filters of the desk's templates."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import template
from django.utils.safestring import SafeString

from lensproject.core.admin import display

register = template.Library()


@register.filter
def moment(at: datetime | None) -> SafeString | str:
    """A time in the operator's zone, the exact one in the tooltip."""
    return display.moment(at)


@register.filter
def admin_url(opts: Any, page: str) -> str:
    """The name of an admin page of a model: `admin:bazaar_pair_changelist`."""
    return f"admin:{opts.app_label}_{opts.model_name}_{page}"


@register.filter
def chips(changelist: Any) -> list[tuple[str, str]]:
    """What narrows a list by itself, each with the link that takes it off."""
    found = (spec.chip(changelist) for spec in changelist.filter_specs if hasattr(spec, "chip"))
    return [chip for chip in found if chip is not None]
