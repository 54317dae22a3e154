"""Which columns of a model a topic rests on: named as fields or columns, checked when the declaration is read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db import models

# They move with every write, or for no reader: following them would make every read a new version.
_CLOCK_OR_COUNTER = re.compile(r"row_version|(created|updated|modified|changed)(_at|_on)?|last_\w+|\w+_(count|seen_at)")

_KEY_TYPES = (models.CharField, models.TextField, models.IntegerField)


class TrackingError(ImproperlyConfigured):
    """A `track(…)` that cannot be right."""


def tracked_columns(model: type[models.Model], topic: str, names: Sequence[str]) -> tuple[str, ...]:
    """The database columns behind `names`, sorted, each once. Raises TrackingError."""
    if not names:
        raise TrackingError(f"{_place(model, topic)}: names no column; list those that a payload shows")
    fields = [_field(model, topic, name) for name in names]
    for field in fields:
        _refuse_clock(field, model, topic)
    return tuple(sorted({_column(field) for field in fields}))


def key_column(model: type[models.Model], topic: str, name: str | None) -> str:
    """The column whose text is the key of a change; the primary key unless `name` says. Raises TrackingError."""
    field = model._meta.pk if name is None else _field(model, topic, name)
    target = field
    while isinstance(target, models.ForeignKey):
        target = target.target_field
    if not isinstance(target, _KEY_TYPES):
        raise TrackingError(
            f"{_place(model, topic)}: key {field.name!r} is a {type(target).__name__}; "
            f"a key is text or an integer, written alike by both databases"
        )
    return _column(field)


def _field(model: type[models.Model], topic: str, name: str) -> models.Field[Any, Any]:
    fields = [field for field in model._meta.local_fields if field.concrete]
    for field in fields:
        if name in (field.name, field.attname, field.column):
            return field
    known = ", ".join(_column(field) for field in fields)
    raise TrackingError(f"{_place(model, topic)}: {model._meta.label} has no column {name!r}; it has {known}")


def _refuse_clock(field: models.Field[Any, Any], model: type[models.Model], topic: str) -> None:
    follows_clock = getattr(field, "auto_now", False) or getattr(field, "auto_now_add", False)
    if follows_clock or _CLOCK_OR_COUNTER.fullmatch(field.name):
        raise TrackingError(
            f"{_place(model, topic)}: {field.name!r} is a clock or a counter; it moves while readers see no change"
        )


def _column(field: models.Field[Any, Any]) -> str:
    return str(field.column)


def _place(model: type[models.Model], topic: str) -> str:
    return f"track({model.__name__}, topic={topic!r})"
