from __future__ import annotations

import pytest

from bazaar.catalog.sellers import create_seller, revise_seller
from bazaar.models import Seller
from lensproject.management.demo.seeding.once import Once

pytestmark = pytest.mark.django_db


def make() -> Seller:
    return create_seller({"name": "Weather"}, by=None, reason="test")


def never() -> Seller:
    raise AssertionError("it was there already")


def test_a_row_that_never_was_is_made_and_named() -> None:
    once = Once()
    row = once.row(Seller, make, name="Weather")
    assert row == Seller.objects.get(name="Weather")
    assert once.made == ["seller Weather"]


def test_a_row_that_is_there_stays_as_it_is() -> None:
    there = make()
    once = Once()
    assert once.row(Seller, never, name="Weather") == there
    assert once.made == []


def test_a_row_that_was_renamed_is_found_by_what_it_was() -> None:
    renamed = revise_seller(make(), {"name": "Rain"}, row_version=1, by=None, reason="test")
    found = Once().row(Seller, never, name="Weather")
    assert found == renamed
    assert found is not None
    assert found.name == "Rain"


def test_a_row_that_was_removed_does_not_come_back() -> None:
    make().delete()
    once = Once()
    assert once.row(Seller, never, name="Weather") is None
    assert not Seller.objects.exists()
    assert once.made == []


def test_a_row_that_has_no_history_counts_as_there() -> None:
    Seller.objects.bulk_create([Seller(name="Weather")])
    assert Once().row(Seller, never, name="Weather") == Seller.objects.get()
