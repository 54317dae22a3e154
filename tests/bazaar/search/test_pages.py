from __future__ import annotations

import pytest
from django.db.models import QuerySet
from pytest_django import DjangoAssertNumQueries

from bazaar.models import CatalogEntry
from bazaar.search.pages import Criteria, search
from lensproject.core.errors import InvalidInput
from tests.builders import make_asset, make_entry, make_option, make_seller

pytestmark = pytest.mark.django_db


def everything() -> QuerySet[CatalogEntry]:
    return CatalogEntry.objects.all()


def titles(criteria: Criteria, *, limit: int = 50) -> list[str]:
    return [entry.title for entry in search(everything(), criteria, limit=limit).entries]


def walked(criteria: Criteria, *, limit: int) -> list[list[str]]:
    """The titles of all pages, as a client goes through them."""
    pages: list[list[str]] = []
    cursor: str | None = None
    while True:
        page = search(everything(), criteria, limit=limit, cursor=cursor)
        pages.append([entry.title for entry in page.entries])
        cursor = page.next_cursor
        if cursor is None:
            return pages


def test_an_empty_query_lists_all_by_title() -> None:
    for title in ("Cherry", "Apple", "Banana"):
        make_entry(title=title)
    assert titles(Criteria()) == ["Apple", "Banana", "Cherry"]


def test_titles_with_the_words_come_before_those_that_only_tell_of_them() -> None:
    make_entry(title="Alpha", description="All about rain.", tags=[])
    make_entry(title="Rain", description="", tags=[])
    assert titles(Criteria("rain")) == ["Rain", "Alpha"]


def test_pages_hold_each_entry_once_whatever_the_limit() -> None:
    for title in ("B", "A", "C", "B", "B"):
        make_entry(title=title)
    assert walked(Criteria(), limit=2) == [["A", "B"], ["B", "B"], ["C"]]
    assert walked(Criteria(), limit=5) == [["A", "B", "B", "B", "C"]]


def test_pages_go_on_through_both_ranks() -> None:
    for title in ("Rain b", "Rain a"):
        make_entry(title=title, description="", tags=[])
    for title in ("D", "C"):
        make_entry(title=title, description="Rain.", tags=[])
    assert walked(Criteria("rain"), limit=1) == [["Rain a"], ["Rain b"], ["C"], ["D"]]


def test_a_page_that_is_exactly_full_is_the_last() -> None:
    make_entry()
    make_entry()
    assert search(everything(), Criteria(), limit=2).next_cursor is None
    assert search(everything(), Criteria(), limit=1).next_cursor is not None


def test_what_comes_and_goes_before_the_place_shifts_nothing() -> None:
    entries = [make_entry(title=title) for title in ("B", "C", "D", "E")]
    first = search(everything(), Criteria(), limit=2)
    make_entry(title="A")
    CatalogEntry.objects.filter(pk=entries[1].pk).delete()
    second = search(everything(), Criteria(), limit=2, cursor=first.next_cursor)
    assert [entry.title for entry in first.entries] == ["B", "C"]
    assert [entry.title for entry in second.entries] == ["D", "E"]


@pytest.mark.parametrize(
    "other",
    [Criteria("a"), Criteria(kind="http"), Criteria(seller="s"), Criteria(network="n"), Criteria(prices={1: 2})],
)
def test_a_cursor_belongs_to_its_search(other: Criteria) -> None:
    make_entry(title="a")
    make_entry(title="a b")
    cursor = search(everything(), Criteria(), limit=1).next_cursor
    with pytest.raises(InvalidInput):
        search(everything(), other, limit=1, cursor=cursor)


def test_a_cursor_goes_on_with_another_limit() -> None:
    for title in ("A", "B", "C"):
        make_entry(title=title)
    cursor = search(everything(), Criteria(), limit=1).next_cursor
    assert [entry.title for entry in search(everything(), Criteria(), limit=9, cursor=cursor).entries] == ["B", "C"]


def test_only_what_the_caller_may_see_is_searched() -> None:
    make_entry(title="Seen")
    make_entry(title="Unseen")
    page = search(everything().filter(title="Seen"), Criteria(), limit=9)
    assert [entry.title for entry in page.entries] == ["Seen"]


def test_filter_by_kind() -> None:
    make_entry(title="Page")
    make_entry(title="Tool", kind="mcp", method="", tool="t", route="/mcp")
    assert titles(Criteria(kind="mcp")) == ["Tool"]


def test_filter_by_seller() -> None:
    seller = make_seller()
    make_entry(title="Hers", seller=seller)
    make_entry(title="His")
    assert titles(Criteria(seller=seller.public_id)) == ["Hers"]


def test_filter_by_asset_and_most_that_it_may_cost() -> None:
    dollars, euros = make_asset("USDC"), make_asset("EURC")
    for title, asset, amount in (("Cheap", dollars, 10), ("Dear", dollars, 11), ("Other", euros, 1)):
        make_option(entry=make_entry(title=title, priced=False), asset=asset, amount=amount)
    assert titles(Criteria(prices={dollars.pk: None})) == ["Cheap", "Dear"]
    assert titles(Criteria(prices={dollars.pk: 10})) == ["Cheap"]
    assert titles(Criteria(prices={dollars.pk: 9})) == []
    assert titles(Criteria(prices={dollars.pk: 10, euros.pk: None})) == ["Cheap", "Other"]
    assert titles(Criteria(prices={})) == []


def test_an_entry_with_several_prices_is_found_once() -> None:
    asset = make_asset()
    entry = make_entry(title="One", priced=False)
    make_option(entry=entry, asset=asset, amount=1)
    make_option(entry=entry, asset=asset, amount=2)
    assert titles(Criteria(prices={asset.pk: None})) == ["One"]


def test_one_query_for_a_page(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    for _ in range(3):
        make_entry()
    with django_assert_num_queries(1):
        assert len(search(everything(), Criteria("weather"), limit=2).entries) == 2
