"""Making a row once in the life of a database."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from lensproject.core.models import Curated

Row = TypeVar("Row", bound=Curated)

REASON = "seeded by manage.py demo"


class Once:
    """Remembers, in `made`, what it made."""

    def __init__(self) -> None:
        self.made: list[str] = []

    def row(self, model: type[Row], make: Callable[[], Row], **identity: Any) -> Row | None:
        """The row that has this identity, or had it when it was first made; a new one when there never was one.

        None when somebody has removed it. The history tells: it outlives its row.
        """
        found = model._base_manager.filter(**identity).first()
        if found is not None:
            return found
        first = model.history.filter(**identity).order_by("history_id").first()
        if first is not None:
            return model._base_manager.filter(pk=first.id).first()
        row = make()
        self.made.append(f"{model._meta.verbose_name} {row}")
        return row
