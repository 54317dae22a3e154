"""How the desk shows amounts, times and states: the same way on every page, never by colour alone, no inline code."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Protocol

from django.contrib import admin
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from lensproject.core import clock
from lensproject.core.amounts import Amount

EMPTY = "–"


class InUnits(Protocol):
    """What an amount is counted in: an asset, with its code and decimals."""

    code: Any
    decimals: Any


def amount_text(units: int, asset: InUnits) -> str:
    """`12.50 USDC`, for messages and labels."""
    return f"{Amount(units, asset.decimals).short()} {asset.code}"


def amount(units: int | None, asset: InUnits) -> SafeString | str:
    """A number that lines up with those above it, its asset beside it, its units in the tooltip."""
    if units is None:
        return EMPTY
    number = Amount(units, asset.decimals).short()
    return format_html('<span class="amount" title="{} units">{} <abbr>{}</abbr></span>', units, number, asset.code)


def zone_name(moment: datetime | None = None) -> str:
    """The zone that times on this page are in, with its offset: `Europe/Berlin (UTC+01:00)`."""
    offset = f"{timezone.localtime(moment or clock.now()):%z}"
    return f"{timezone.get_current_timezone_name()} (UTC{offset[:3]}:{offset[3:]})"


def moment_text(moment: datetime) -> str:
    """`30 Nov 2026, 20:24:34 CET`, in the operator's zone."""
    local = timezone.localtime(moment)
    return f"{local.day} {local:%b %Y, %H:%M:%S %Z}"


def moment(at: datetime | None) -> SafeString | str:
    """A time in the operator's zone, with the exact one in UTC in the tooltip."""
    if at is None:
        return EMPTY
    exact = clock.iso(at)
    return format_html('<time datetime="{}" title="{}">{}</time>', exact, exact, moment_text(at))


def when(field: str, description: str, *, sortable: bool = False) -> Callable[[Any], SafeString | str]:
    """A column that shows a DateTimeField; `sortable` where an index makes that cheap."""

    def column(row: Any) -> SafeString | str:
        return moment(getattr(row, field))

    column.__name__ = field
    return admin.display(description=description, ordering=field if sortable else None)(column)


def badge(words: str, kind: str) -> SafeString:
    """A state in words, a mark before it. `kind`: good, wait, bad or quiet; the colour repeats what the mark says."""
    marks = {"good": "●", "wait": "◐", "bad": "■", "quiet": "○"}
    return format_html(
        '<span class="badge badge-{}"><span aria-hidden="true">{}</span> {}</span>', kind, marks[kind], words
    )


def bar(spent: int, held: int, limit: int, asset: InUnits) -> SafeString:
    """How much of a limit is spent and how much open payments hold, as a bar and in words."""
    words = f"{amount_text(spent, asset)} spent, {amount_text(held, asset)} held, of {amount_text(limit, asset)}"
    width_spent, width_held = _percent(spent, limit), _percent(held, limit)
    full = " bar-full" if 5 * (spent + held) > 4 * limit or not limit else ""
    return format_html(
        '<svg class="bar{}" role="img" aria-label="{}" viewBox="0 0 100 8" preserveAspectRatio="none">'
        '<title>{}</title><rect class="bar-room" width="100" height="8"/>'
        '<rect class="bar-spent" width="{}" height="8"/><rect class="bar-held" x="{}" width="{}" height="8"/></svg>'
        '<span class="bar-words">{}</span>',
        full, words, words, width_spent, width_spent, width_held, words,
    )  # fmt: skip


def _percent(part: int, whole: int) -> int:
    """Rounded up, so that a little is never shown as nothing; at most 100."""
    return min(100, -(-part * 100 // whole)) if whole else 100
