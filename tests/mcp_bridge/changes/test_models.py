"""What the change log's tables refuse, and what they are named in SQL."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, connection, transaction

from lensproject.core import clock
from mcp_bridge.models import Change, ChangeTotal

pytestmark = pytest.mark.django_db


def change(topic: str = "shop.items", key: str = "a") -> Change:
    return Change.objects.create(topic=topic, key=key, changed_at=clock.now())


def test_the_tables_have_the_names_that_the_sql_says() -> None:
    assert Change._meta.db_table == "mcp_bridge_change"
    assert ChangeTotal._meta.db_table == "mcp_bridge_changetotal"


def test_a_change_without_key_is_refused_because_that_is_the_total_of_a_topic() -> None:
    with pytest.raises(IntegrityError, match="change_key_given"), transaction.atomic():
        change(key="")
    assert not Change.objects.filter(topic="shop.items").exists()


def test_sqlite_has_one_row_for_a_key_and_postgresql_one_for_each_change() -> None:
    change()
    if connection.vendor == "sqlite":
        with pytest.raises(IntegrityError, match=r"UNIQUE.*topic.*key"), transaction.atomic():
            change()
        assert Change.objects.filter(topic="shop.items").count() == 1
    else:
        change()
        assert Change.objects.filter(topic="shop.items").count() == 2


def test_ids_of_sqlite_never_come_again() -> None:
    """The newest id is the generation: one that came again would be taken for a state seen before."""
    gone = change()
    number = gone.pk
    gone.delete()
    assert change().pk > number


def test_the_index_that_each_look_needs_is_there() -> None:
    with connection.cursor() as cursor:
        constraints = connection.introspection.get_constraints(cursor, Change._meta.db_table)
    indexed = {tuple(each["columns"]) for each in constraints.values() if each["index"] or each["unique"]}
    if connection.vendor == "sqlite":
        assert {("topic", "key"), ("topic", "id")} <= indexed
    else:
        assert {("topic", "key"), ("xid",)} <= indexed


def test_a_total_is_kept_once_for_each_key() -> None:
    ChangeTotal.objects.create(topic="shop.items", key="", changes=1, changed_at=clock.now())
    with pytest.raises(IntegrityError, match=r"change_total_once|UNIQUE"), transaction.atomic():
        ChangeTotal.objects.create(topic="shop.items", key="", changes=2, changed_at=clock.now())
    assert ChangeTotal.objects.get(topic="shop.items").changes == 1


def test_a_total_of_nothing_is_refused() -> None:
    with pytest.raises(IntegrityError, match="change_total_positive"), transaction.atomic():
        ChangeTotal.objects.create(topic="shop.items", key="a", changes=0, changed_at=clock.now())
    assert not ChangeTotal.objects.filter(topic="shop.items").exists()


def test_rows_say_what_they_are() -> None:
    assert str(change()) == "shop.items a"
    total = ChangeTotal(topic="shop.items", key="a", changes=3, changed_at=clock.now())
    assert str(total) == "shop.items a: 3"
