"""How a curated row is made and changed: one conditional UPDATE, the history row, and the reason, in one transaction.

Nothing is lost when two people edit the same row: who comes second is told so (StaleVersion) and nothing of theirs is
written.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import MAXYEAR, MINYEAR, datetime
from typing import TYPE_CHECKING, Any, TypeVar

from django.core.exceptions import ValidationError
from django.db import IntegrityError, models, transaction
from simple_history.utils import bulk_update_with_history

from lensproject.core import clock, documents
from lensproject.core.errors import StaleVersion
from lensproject.core.models import Curated

if TYPE_CHECKING:
    from django.contrib.auth.models import User

Row = TypeVar("Row", bound=Curated)


def create(instance: Row, *, by: User | None, reason: str) -> Row:
    """Validate and insert a new row with its first history row. Raises Django's ValidationError."""
    _validate(instance)
    try:
        with transaction.atomic(), _signed(instance, by, reason):
            instance.save(force_insert=True)
    except IntegrityError:
        # Somebody was faster since the row was validated: validating anew says with what it meets.
        instance.full_clean()
        raise
    return instance


def revise(instance: Row, changes: Mapping[str, Any], *, row_version: int, by: User | None, reason: str) -> Row:
    """Change a row that still has `row_version`; gives the row as it is afterwards.

    Values that are equal to those of the row are no change, and no change writes nothing. Raises StaleVersion when the
    row moved on (details: the current `rowVersion`), Django's ValidationError when the changed row would not be valid.
    """
    changed = {name: value for name, value in changes.items() if _differs(instance, name, value)}
    if not changed:
        return instance
    candidate = copy.copy(instance)
    for name, value in changed.items():
        setattr(candidate, name, value)
    with transaction.atomic():
        _refuse_stale(instance, row_version)
        _validate(candidate)
        return _write(instance, changed, row_version, by, reason)


def mark_revised(instance: Row, *, row_version: int, by: User | None, reason: str) -> Row:
    """Move the version of a row whose parts changed in other tables, with a history row."""
    with transaction.atomic():
        return _write(instance, {}, row_version, by, reason)


def _validate(instance: Curated) -> None:
    """As Django does; before it, what a field could not keep, so that no validator has to walk through it."""
    values = ((column.name, getattr(instance, column.attname)) for column in instance._meta.concrete_fields)
    problems = {name: problem for name, value in values if (problem := _unstorable(value)) is not None}
    if problems:
        raise ValidationError(problems)
    instance.full_clean()


def _unstorable(value: Any) -> str | None:
    if isinstance(value, datetime) and value.year in (MINYEAR, MAXYEAR):
        # In another zone it may lie in a year that there is not.
        return "This is too far away to be shown in every time zone."
    return documents.unstorable(value) if isinstance(value, str | list | dict) else None


def _differs(instance: Curated, name: str, value: Any) -> bool:
    """In a document 1 and true are two values, which they are not in Python."""
    held = getattr(instance, name)
    if held == value and isinstance(instance._meta.get_field(name), models.JSONField):
        return json.dumps(held, sort_keys=True) != json.dumps(value, sort_keys=True)
    return bool(held != value)


def _write(instance: Row, changed: Mapping[str, Any], row_version: int, by: User | None, reason: str) -> Row:
    model = type(instance)
    stamp = {"row_version": row_version + 1, "updated_at": clock.now()}
    if model._base_manager.filter(pk=instance.pk, row_version=row_version).update(**changed, **stamp) != 1:
        raise _stale(instance)
    fresh = model._base_manager.get(pk=instance.pk)
    with _signed(fresh, by, reason):
        bulk_update_with_history([fresh], model, fields=[])
    return fresh


def _refuse_stale(instance: Curated, row_version: int) -> None:
    """Before validating: who is late should hear that, and not of a conflict with a row that they have not seen."""
    if not type(instance)._base_manager.filter(pk=instance.pk, row_version=row_version).exists():
        raise _stale(instance)


@contextmanager
def _signed(instance: Curated, by: User | None, reason: str) -> Iterator[None]:
    """Who and why, where django-simple-history looks for them, for this one change."""
    vars(instance).update(_history_user=by, _change_reason=reason)
    try:
        yield
    finally:
        del vars(instance)["_history_user"], vars(instance)["_change_reason"]


def _stale(instance: Curated) -> StaleVersion:
    current = type(instance)._base_manager.filter(pk=instance.pk).values_list("row_version", flat=True).first()
    return StaleVersion(
        f"This {instance._meta.verbose_name} was changed by somebody else since you read it.",
        details={"rowVersion": current},
    )
