"""A constraint that one database has and the other must not have."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.db import models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


class UniqueOnSqlite(models.UniqueConstraint):
    """A unique constraint on SQLite only. It outlives the rebuilding of a table, since the model's state has it."""

    def constraint_sql(self, model: type[models.Model] | None, schema_editor: BaseDatabaseSchemaEditor | None) -> Any:
        return super().constraint_sql(model, schema_editor) if _is_sqlite(schema_editor) else None

    def create_sql(self, model: type[models.Model] | None, schema_editor: BaseDatabaseSchemaEditor | None) -> Any:
        return super().create_sql(model, schema_editor) if _is_sqlite(schema_editor) else None

    def remove_sql(self, model: type[models.Model] | None, schema_editor: BaseDatabaseSchemaEditor | None) -> Any:
        return super().remove_sql(model, schema_editor) if _is_sqlite(schema_editor) else None

    def validate(
        self,
        model: type[models.Model],
        instance: models.Model,
        exclude: Collection[str] | None = None,
        using: str = "default",
    ) -> None:
        """Rows are written by triggers, never through a form."""


def _is_sqlite(schema_editor: BaseDatabaseSchemaEditor | None) -> bool:
    return schema_editor is not None and schema_editor.connection.vendor == "sqlite"
