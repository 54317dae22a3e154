"""Lists that never count more than they can show."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.utils.functional import cached_property

CAP = 10_000


class CappedPaginator(Paginator[Any]):
    """Counts at most CAP rows in one bounded query; a list that has more says “10,000+” and is narrowed by filters."""

    cap = CAP

    @cached_property
    def counted(self) -> int:
        """The number of rows, or the cap plus one when there are more."""
        rows = self.object_list
        if isinstance(rows, QuerySet):
            return rows.order_by()[: self.cap + 1].count()
        return len(rows[: self.cap + 1])

    @cached_property
    def count(self) -> int:
        return min(self.counted, self.cap)

    @property
    def is_capped(self) -> bool:
        return self.counted > self.cap

    @property
    def count_text(self) -> str:
        """`7`, or `10,000+` when there are more than are counted."""
        return f"{self.cap:,}+" if self.is_capped else str(self.count)
