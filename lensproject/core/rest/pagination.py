"""Pages by keyset: a cursor says after which row to go on. No offsets, no COUNT, and nothing is skipped or shown twice
when rows come and go between two pages.

A cursor is signed and bound to the list and its filters, so that one of another list, or one that somebody made up, is
INVALID_INPUT and never a query.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from hashlib import sha256
from operator import or_
from typing import Any, Generic, TypeVar

from django.core import signing
from django.db.models import Model, Q, QuerySet

from lensproject.core.errors import InvalidInput

MAX_LIMIT = 100
DEFAULT_LIMIT = 20
_SALT = "lensproject.core.rest.pagination"

T = TypeVar("T")
Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True)
class Place:
    """A list with its filters: what a cursor is bound to."""

    name: str
    filters: tuple[tuple[str, str | None], ...] = ()

    @property
    def digest(self) -> str:
        return sha256(repr((self.name, self.filters)).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Page(Generic[T]):
    """The rows of a page, and the cursor of the next one; None on the last."""

    rows: Sequence[T]
    next_cursor: str | None


def page_of_query(
    query: QuerySet[Row], *, order: Sequence[str], place: Place, cursor: str | None, limit: int
) -> Page[Row]:
    """A page of a query in ascending `order`, whose fields together are unique and never null. One query."""
    after = read_cursor(cursor, place, len(order))
    if after is not None:
        query = query.filter(_beyond(order, after))
    rows = list(query.order_by(*order)[: limit + 1])
    return _page(rows, place, limit, lambda row: [getattr(row, name) for name in order])


def page_of_items(
    items: Sequence[T], *, key: Callable[[T], str], place: Place, cursor: str | None, limit: int
) -> Page[T]:
    """A page of a whole list that is in ascending order of `key`."""
    after = read_cursor(cursor, place, 1)
    rows = [item for item in items if after is None or key(item) > after[0]]
    return _page(rows, place, limit, lambda item: [key(item)])


def read_cursor(cursor: str | None, place: Place, length: int) -> list[Any] | None:
    """What the cursor says, or None for the first page. Raises InvalidInput for one that is not ours for this list."""
    if cursor is None:
        return None
    digest, after = _parts(cursor)
    if digest != place.digest or len(after) != length:
        message = "This cursor is not one of this list with these filters."
        raise InvalidInput(message, details={"fields": {"cursor": message}})
    return after


def _parts(cursor: str) -> tuple[Any, list[Any]]:
    try:
        digest, *after = _signer().unsign_object(cursor)
    except (signing.BadSignature, ValueError, TypeError):
        return None, []
    return digest, after


def _page(rows: Sequence[T], place: Place, limit: int, values: Callable[[T], list[Any]]) -> Page[T]:
    shown = rows[:limit]
    more = len(rows) > limit
    return Page(shown, _signer().sign_object([place.digest, *values(shown[-1])]) if more else None)


def _signer() -> signing.Signer:
    """Without a time in it: the same page has the same bytes, and so the same version."""
    return signing.Signer(salt=_SALT)


def _beyond(order: Sequence[str], after: Sequence[Any]) -> Q:
    """`(a, b) > (x, y)`, written out: a > x, or a = x and b > y."""
    steps = [
        Q(**dict(zip(order[:depth], after, strict=False)), **{f"{order[depth]}__gt": after[depth]})
        for depth in range(len(order))
    ]
    return reduce(or_, steps)
