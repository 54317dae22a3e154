"""How a test shows that the database itself refuses a row: the change is written past forms, models and services."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, models, transaction

from lensproject.core import triggers


@dataclass(frozen=True)
class Case:
    """A valid row, and what is written over it; or over a copy of it that is inserted."""

    row: Callable[[], models.Model]
    changes: Callable[[Any], Mapping[str, Any]]
    inserting: bool = False


def over(row: Callable[..., models.Model], **changes: Any) -> Case:
    """A row with these values written over it."""
    return Case(row, lambda _: changes)


def beside(row: Callable[..., models.Model], **changes: Any) -> Case:
    """A copy of a row with these values, inserted: for tables in which the column never changes."""
    return Case(row, lambda _: changes, inserting=True)


def like(row: Callable[..., models.Model], *fields: str, **other: Any) -> Case:
    """A second row that takes these values of the first."""

    def copied(second: models.Model) -> Mapping[str, Any]:
        first = type(second)._base_manager.exclude(pk=second.pk).earliest("pk")
        return {name: getattr(first, name) for name in fields} | other

    def two() -> models.Model:
        row()
        return row()

    return Case(two, copied)


def assert_refused(name: str, case: Case) -> None:
    """The database refuses the change by the constraint or trigger of that name, and the row stays as it was."""
    row = case.row()
    table = type(row)._base_manager
    before = list(table.order_by("pk").values())
    with pytest.raises(IntegrityError) as refusal, transaction.atomic():
        _write(row, case)
    assert list(table.order_by("pk").values()) == before
    # SQLite names the columns of a unique constraint in place of its name.
    if not (connection.vendor == "sqlite" and "UNIQUE constraint failed" in str(refusal.value)):
        assert name in str(refusal.value)


def _write(row: models.Model, case: Case) -> None:
    table = type(row)._base_manager
    if not case.inserting:
        table.filter(pk=row.pk).update(**case.changes(row))
        return
    values = {
        field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields if not field.primary_key
    }
    table.bulk_create([type(row)(**(values | dict(case.changes(row))))])


def names_to_refuse(app: str) -> set[str]:
    """Every constraint and every guard of an app's models."""
    declared = _constraints(apps.get_app_config(app).get_models())
    tables = {model._meta.db_table for model in apps.get_app_config(app).get_models()}
    guards = {trigger.name for trigger in triggers.declared() if trigger.table in tables and _refuses(trigger)}
    return declared | guards


def _constraints(found: Iterable[type[models.Model]]) -> set[str]:
    return {constraint.name for model in found for constraint in model._meta.constraints}


def _refuses(trigger: triggers.Trigger) -> bool:
    return any("RAISE" in part.body for part in trigger.sqlite)
