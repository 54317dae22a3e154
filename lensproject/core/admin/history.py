"""Who changed a row, when, from what to what, and why: read from the rows that django-simple-history keeps."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import models

from lensproject.core.admin.display import EMPTY, InUnits, amount_text, moment_text
from lensproject.core.amounts import UnitsField
from lensproject.core.models import Curated

BOOKKEEPING = frozenset({"id", "row_version", "created_at", "updated_at"})
SECRET = frozenset({"digest", "pepper_id"})
KINDS = {"+": "made", "~": "changed", "-": "deleted"}


@dataclass(frozen=True)
class Change:
    """One field of one revision, in words."""

    label: str
    before: str
    after: str


@dataclass(frozen=True)
class Revision:
    """One row of the history."""

    version: int
    at: datetime
    by: str
    kind: str
    reason: str
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class Wording:
    """How a model's values are put into words where the field alone does not say it."""

    assets: Mapping[str, str] = field(default_factory=dict)
    """Field of an amount → field of the asset that it is in."""

    special: Mapping[str, Callable[[Any], object]] = field(default_factory=dict)
    """Field → what may be shown of it."""


def revisions(row: Curated, *, newest: int, skip: int = 0, wording: Wording | None = None) -> list[Revision]:
    """Revisions of a row, newest first."""
    records = list(row.history.select_related("history_user").order_by("-history_id")[skip : skip + newest + 1])
    words = _Words(row, records, wording or Wording())
    shown = records[:newest]
    return [_revision(record, words, before) for record, before in zip(shown, [*records[1:], None], strict=False)]


def since(row: Curated, version: int, *, wording: Wording | None = None) -> list[Revision]:
    """What was changed after `version`, newest first; at most the last twenty revisions."""
    return [revision for revision in revisions(row, newest=20, wording=wording) if revision.version > version]


def sentences(changes: Sequence[Revision]) -> Iterator[str]:
    """One line per field that somebody else changed, for whoever comes second."""
    for revision in changes:
        why = f" Reason: {revision.reason}." if revision.reason else ""
        for change in revision.changes:
            yield (
                f"{revision.by} changed “{change.label}” from {change.before} to {change.after} "
                f"at {moment_text(revision.at)}.{why}"
            )


def _revision(record: Any, words: _Words, before: Any | None) -> Revision:
    who = record.history_user
    return Revision(
        version=record.row_version,
        at=record.history_date,
        by=who.get_username() if who else "the platform",
        kind=KINDS[record.history_type],
        reason=record.history_change_reason or "",
        changes=tuple(words.differences(record, before)),
    )


class _Words:
    """Values of history rows in words; names of related rows are read once for all of them."""

    def __init__(self, row: Curated, records: Sequence[Any], wording: Wording) -> None:
        self._columns = [column for column in row._meta.concrete_fields if column.name not in BOOKKEEPING]
        self._assets: dict[str, InUnits] = {name: getattr(row, source) for name, source in wording.assets.items()}
        self._special = {**dict.fromkeys(SECRET, lambda value: "(not shown)"), **wording.special}
        self._related = _related_rows(self._columns, records)

    def differences(self, record: Any, before: Any | None) -> Iterator[Change]:
        for column in self._columns:
            now = getattr(record, column.attname)
            was = None if before is None else getattr(before, column.attname)
            if now == was or (before is None and now in (None, "", [], {})):
                continue
            yield Change(_label(column), self._say(column, was), self._say(column, now))

    def _say(self, column: models.Field[Any, Any], value: Any) -> str:
        if value in (None, ""):
            return EMPTY
        if column.name in self._special:
            return str(self._special[column.name](value))
        if isinstance(column, models.ForeignKey):
            return str(self._related[column.related_model].get(value, f"#{value}"))
        if isinstance(column, UnitsField) and column.name in self._assets:
            return amount_text(value, self._assets[column.name])
        return _plain(column, value)


def _label(column: models.Field[Any, Any]) -> str:
    return str(column.verbose_name).removesuffix(" (units)")


def _plain(column: models.Field[Any, Any], value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return moment_text(value)
    if isinstance(value, (list, dict)):
        return json.dumps(value, ensure_ascii=False)
    return str(dict(column.flatchoices).get(value, value))


def _related_rows(columns: Sequence[Any], records: Sequence[Any]) -> dict[Any, dict[Any, models.Model]]:
    """{model: {primary key: row}} of all foreign keys in the records, one query a model."""
    wanted: dict[Any, set[Any]] = defaultdict(set)
    for column in columns:
        if isinstance(column, models.ForeignKey):
            wanted[column.related_model].update(getattr(record, column.attname) for record in records)
    return {model: model._base_manager.select_related().in_bulk(keys - {None}) for model, keys in wanted.items()}
