"""The dashboard's questions: what is moving, failing, running out, waiting for a person, and what changed.

Each number is one bounded query, cached for a minute, and links to the list that has exactly its rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from django.contrib.admin.models import LogEntry
from django.core.cache import cache
from django.urls import reverse
from django.utils.safestring import SafeString

from lensproject.core import clock
from lensproject.core.admin.paginator import CAP
from lensproject.desk.audit import edited_row, reason_of
from lensproject.desk.questions import QUESTIONS, Number

CACHED_FOR = 60
EDITS = 10


@dataclass(frozen=True)
class Shown:
    """A number as the page shows it: with its link, and whether somebody should look."""

    label: str
    text: str
    link: str
    wants_a_look: bool


@dataclass(frozen=True)
class Panel:
    """One question with its numbers."""

    title: str
    numbers: tuple[Shown, ...]


@dataclass(frozen=True)
class Edit:
    """One line of the audit log."""

    at: datetime
    by: str
    row: SafeString | str
    why: str


def panels(user: Any) -> list[Panel]:
    """The questions with the numbers that this person may see the rows of."""
    found = (Panel(title, tuple(_shown(user, numbers))) for title, numbers in QUESTIONS)
    return [panel for panel in found if panel.numbers]


def edits(user: Any) -> list[Edit] | None:
    """The last ten edits of people, newest first; None for who may not read the audit log."""
    if not user.has_perm("admin.view_logentry"):
        return None
    entries = LogEntry.objects.select_related("user", "content_type").order_by("-id")[:EDITS]
    return [Edit(e.action_time, e.user.get_username(), edited_row(e), reason_of(e)) for e in entries]


def cache_key(number: Number) -> str:
    """Where a number is kept for its minute."""
    return "desk:" + sha256(f"{number.page}?{number.query}".encode()).hexdigest()


def _shown(user: Any, numbers: tuple[Number, ...]) -> Iterator[Shown]:
    for number in numbers:
        if user.has_perm(number.permission):
            count = _counted(number)
            link = f"{reverse(f'admin:{number.page}_changelist')}?{number.query}"
            yield Shown(number.label, f"{CAP:,}+" if count > CAP else str(count), link, bool(count) and number.alarming)


def _counted(number: Number) -> int:
    """The number of rows, at most one above the cap; asked of the database once a minute."""
    key = cache_key(number)
    count: int | None = cache.get(key)
    if count is None:
        count = number.rows(clock.now()).order_by()[: CAP + 1].count()
        cache.set(key, count, CACHED_FOR)
    return count
