from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from lensproject.core.admin.paginator import CAP, CappedPaginator
from tests.builders import make_seller
from tests.desk.people import signed_in


def people(number: int) -> None:
    User.objects.bulk_create(User(username=f"person{index}") for index in range(number))


def capped(cap: int) -> CappedPaginator:
    paginator = CappedPaginator(User.objects.order_by("username"), 2)
    paginator.cap = cap
    return paginator


@pytest.mark.parametrize(
    ("rows", "count", "text", "pages"), [(0, 0, "0", 1), (3, 3, "3", 2), (4, 4, "4", 2), (5, 4, "4+", 2)]
)
def test_rows_are_counted_up_to_the_cap(db: None, rows: int, count: int, text: str, pages: int) -> None:
    people(rows)
    paginator = capped(4)

    assert (paginator.count, paginator.count_text, paginator.num_pages) == (count, text, pages)
    assert paginator.is_capped is (rows == 5)


def test_counting_is_one_bounded_query_without_an_order(db: None) -> None:
    people(3)
    paginator = capped(4)

    with CaptureQueriesContext(connection) as queries:
        assert (paginator.count, paginator.is_capped, paginator.count_text) == (3, False, "3")

    assert len(queries) == 1
    assert "LIMIT 5" in queries[0]["sql"]
    assert "ORDER BY" not in queries[0]["sql"]


def test_a_plain_list_is_counted_too() -> None:
    paginator = CappedPaginator(list(range(7)), 2)
    paginator.cap = 4

    assert (paginator.count, paginator.count_text) == (4, "4+")


def test_the_cap_is_ten_thousand() -> None:
    assert CAP == 10_000


def test_a_list_above_the_cap_says_so(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CappedPaginator, "cap", 2)
    client: Client = signed_in("viewer")
    for _ in range(3):
        make_seller()

    page = client.get("/admin/bazaar/seller/").content.decode()

    assert "2+ sellers" in page
    assert "More are not counted" in page
