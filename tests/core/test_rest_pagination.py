from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.core import signing
from django.db.models import Value
from pytest_django import DjangoAssertNumQueries

from lensproject.core.errors import InvalidInput
from lensproject.core.models import Lease
from lensproject.core.rest.pagination import Page, Place, page_of_items, page_of_query

AT = datetime(2026, 11, 30, tzinfo=UTC)
HERE = Place("leases")
LETTERS = list("abcdefg")


def items(cursor: str | None, limit: int = 3, letters: list[str] | None = None, place: Place = HERE) -> Page[str]:
    return page_of_items(letters or LETTERS, key=str, place=place, cursor=cursor, limit=limit)


def leases(cursor: str | None, limit: int = 2) -> Page[Lease]:
    return page_of_query(Lease.objects.all(), order=("name", "pk"), place=HERE, cursor=cursor, limit=limit)


def test_pages_of_a_list_meet_without_gap_or_overlap() -> None:
    first = items(None)
    second = items(first.next_cursor)
    third = items(second.next_cursor)
    assert [*first.rows, *second.rows, *third.rows] == LETTERS
    assert third.next_cursor is None


def test_a_page_that_ends_with_the_list_is_the_last() -> None:
    assert items(None, limit=7).next_cursor is None
    assert items(None, limit=6).next_cursor is not None


def test_an_empty_list_is_one_empty_page() -> None:
    assert page_of_items([], key=str, place=HERE, cursor=None, limit=3) == Page([], None)


def test_what_comes_and_goes_between_pages_shifts_nothing() -> None:
    first = items(None)
    assert items(first.next_cursor, letters=list("abdefg")).rows == ["d", "e", "f"]
    assert items(first.next_cursor, letters=list("aabbcccdefg")).rows == ["d", "e", "f"]


def test_the_same_page_has_the_same_cursor() -> None:
    assert items(None).next_cursor == items(None).next_cursor


@pytest.mark.parametrize("cursor", ["", "x", "a:b", "a:b:c", "é", "\x00", ":" * 100])
def test_a_cursor_that_somebody_made_up_is_refused(cursor: str) -> None:
    with pytest.raises(InvalidInput, match="not one of this list") as caught:
        items(cursor)
    assert list(caught.value.details) == ["fields"]


def test_a_cursor_that_was_altered_is_refused() -> None:
    cursor = items(None).next_cursor
    assert cursor is not None
    for index in range(len(cursor)):
        altered = cursor[:index] + ("A" if cursor[index] != "A" else "B") + cursor[index + 1 :]
        with pytest.raises(InvalidInput):
            items(altered)


@pytest.mark.parametrize("place", [Place("others"), Place("leases", (("network", "stellar:local"),))])
def test_a_cursor_of_another_list_or_other_filters_is_refused(place: Place) -> None:
    with pytest.raises(InvalidInput):
        items(items(None).next_cursor, place=place)


@pytest.mark.parametrize("value", [["x"], [], {}, "text", 5, None])
def test_what_we_signed_for_something_else_is_refused(value: object) -> None:
    with pytest.raises(InvalidInput):
        items(signing.Signer(salt="lensproject.core.rest.pagination").sign_object(value))
    with pytest.raises(InvalidInput):
        items(signing.Signer(salt="another").sign_object([HERE.digest, "c"]))


def test_a_cursor_with_more_or_fewer_parts_is_refused() -> None:
    signer = signing.Signer(salt="lensproject.core.rest.pagination")
    for parts in ([], ["c", 1]):
        with pytest.raises(InvalidInput):
            items(signer.sign_object([HERE.digest, *parts]))


@pytest.mark.django_db
def test_pages_of_a_query_meet_without_gap_or_overlap() -> None:
    names = ["delta", "alpha", "echo", "charlie", "bravo"]
    Lease.objects.bulk_create(Lease(until=AT, name=name) for name in names)
    seen: list[str] = []
    cursor = None
    while True:
        page = leases(cursor)
        seen += [lease.name for lease in page.rows]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert seen == sorted(names)


@pytest.mark.django_db
def test_ties_are_told_apart_by_the_last_field() -> None:
    Lease.objects.bulk_create(Lease(until=AT, name=f"g{number}") for number in range(5))
    query = Lease.objects.annotate(same=Value("x"))
    place = Place("ties")
    first = page_of_query(query, order=("same", "pk"), place=place, cursor=None, limit=3)
    rest = page_of_query(query, order=("same", "pk"), place=place, cursor=first.next_cursor, limit=3)
    assert [*first.rows, *rest.rows] == list(query.order_by("pk"))


@pytest.mark.django_db
def test_a_page_is_one_query_without_offset_and_count(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    Lease.objects.bulk_create(Lease(until=AT, name=f"g{number}") for number in range(5))
    cursor = leases(None).next_cursor
    with django_assert_num_queries(1) as captured:
        leases(cursor)
    sql = captured.captured_queries[0]["sql"].upper()
    assert "OFFSET" not in sql
    assert "COUNT" not in sql
