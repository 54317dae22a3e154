"""A search: criteria in, a page of entries out. Pages go by keyset, so that entries which come and go shift nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from django.db.models import Exists, OuterRef, Q, QuerySet
from django_stubs_ext import WithAnnotations

from bazaar.models import CatalogEntry, PaymentOption
from bazaar.search import cursors
from bazaar.search.cursors import Place
from bazaar.search.words import Ranked, finding


@dataclass(frozen=True)
class Criteria:
    """What is searched for. `prices`: assets by id, each with the most that it may cost in units (None: anything)."""

    query: str = ""
    kind: str | None = None
    seller: str | None = None
    network: str | None = None
    prices: Mapping[int, int | None] | None = None

    def fingerprint(self) -> str:
        return cursors.fingerprint(asdict(self))


@dataclass(frozen=True)
class Page:
    """Entries in order: all words in the title first, then by title. `next_cursor` is None on the last page."""

    entries: Sequence[CatalogEntry]
    next_cursor: str | None


def search(among: QuerySet[CatalogEntry], criteria: Criteria, *, limit: int, cursor: str | None = None) -> Page:
    """A page of `among`, the entries that the caller may see. Raises InvalidInput for a cursor of another search."""
    search_id = criteria.fingerprint()
    found = finding(_filtered(among, criteria), criteria.query)
    if cursor is not None:
        found = found.filter(_after(cursors.read(cursor, search_id)))
    rows = list(found.order_by("rank", "title", "pk")[: limit + 1])
    shown = rows[:limit]
    return Page(shown, cursors.write(_place(shown[-1]), search_id) if len(rows) > limit else None)


def _filtered(entries: QuerySet[CatalogEntry], criteria: Criteria) -> QuerySet[CatalogEntry]:
    if criteria.kind is not None:
        entries = entries.filter(kind=criteria.kind)
    if criteria.seller is not None:
        entries = entries.filter(seller__public_id=criteria.seller)
    return entries if criteria.prices is None else entries.filter(_sold_for(criteria.prices))


def _sold_for(prices: Mapping[int, int | None]) -> Exists:
    wanted = Q(pk__in=[])
    for asset, most in prices.items():
        wanted |= Q(asset=asset) if most is None else Q(asset=asset, amount__lte=most)
    return Exists(PaymentOption.objects.filter(wanted, entry=OuterRef("pk")))


def _after(place: Place) -> Q:
    same_title = Q(rank=place.rank, title=place.title, pk__gt=place.pk)
    return Q(rank__gt=place.rank) | Q(rank=place.rank, title__gt=place.title) | same_title


def _place(entry: WithAnnotations[CatalogEntry, Ranked]) -> Place:
    return Place(entry.rank, entry.title, entry.pk)
