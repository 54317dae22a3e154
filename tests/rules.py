"""Rules of the suite that hold while tests are collected: a plugin, loaded by tests/conftest.py.

On PostgreSQL only those tests run that ask for a database; the others run once, on SQLite.

No test flushes. Flushing costs a second, resets what other tests of the process rely on, and hides what the template
holds. A test that needs commits, threads or processes asks for the fixture `cloned_database` in its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from django.test import TestCase, TransactionTestCase

from tests.databases import chosen_engine

FLUSHING_FIXTURES = {
    "transactional_db",
    "live_server",
    "django_db_reset_sequences",
    "django_db_serialized_rollback",
}
DATABASE_FIXTURES = {"db", "databases", "template_database", "django_db_setup", "cloned_database", "postgres_server"}
ONCE = ("tests/browser/", "tests/interop/")
"""What looks at pages and at other implementations: the database behind makes no difference to them."""
ADVICE = "Ask for the fixture cloned_database: it commits for real and is dropped afterwards."


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if chosen_engine() == "postgresql":
        leave_to_sqlite(config, items)
    broken = [f"{item.nodeid}: {fault}" for item in items for fault in faults(item)]
    if broken:
        raise pytest.UsageError("\n".join([*broken, ADVICE]))


def leave_to_sqlite(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Take out what would only do again what the run on SQLite does."""
    kept = [asks_for_a_database(item) and not item.nodeid.startswith(ONCE) for item in items]
    config.hook.pytest_deselected(items=[item for item, keep in zip(items, kept, strict=True) if not keep])
    items[:] = [item for item, keep in zip(items, kept, strict=True) if keep]


def asks_for_a_database(item: pytest.Item) -> bool:
    """By its marker, by a fixture of its own or of its fixtures, or by its class."""
    fixtures: Sequence[str] = getattr(item, "fixturenames", ())
    if issubclass(getattr(item, "cls", None) or object, TestCase):
        return True
    return item.get_closest_marker("django_db") is not None or not DATABASE_FIXTURES.isdisjoint(fixtures)


def faults(item: pytest.Item) -> Iterator[str]:
    """What a test breaks, in words."""
    marker = item.get_closest_marker("django_db")
    fixtures: Sequence[str] = getattr(item, "fixturenames", ())
    if marker is not None and _flushes(marker):
        yield "django_db(transaction=True) flushes"
    for fixture in sorted(FLUSHING_FIXTURES.intersection(fixtures)):
        yield f"the fixture {fixture} flushes"
    test_class = getattr(item, "cls", None)
    if test_class and issubclass(test_class, TransactionTestCase) and not issubclass(test_class, TestCase):
        yield "TransactionTestCase flushes"
    if "cloned_database" in fixtures and (marker is not None or "db" in fixtures):
        yield "cloned_database and db exclude each other: db's transaction would be open on another database"


def _flushes(marker: pytest.Mark) -> bool:
    asked = dict(zip(("transaction", "reset_sequences"), marker.args, strict=False)) | dict(marker.kwargs)
    return any(asked.get(name) for name in ("transaction", "reset_sequences", "serialized_rollback"))
