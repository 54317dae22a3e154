"""Rules of the suite that are checked while tests are collected: a plugin, loaded by tests/conftest.py.

No test flushes. Flushing costs a second, resets what other tests of the process rely on, and hides what the template
holds. A test that needs commits, threads or processes asks for the fixture `cloned_database` in its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from django.test import TestCase, TransactionTestCase

FLUSHING_FIXTURES = {
    "transactional_db",
    "live_server",
    "django_db_reset_sequences",
    "django_db_serialized_rollback",
}
ADVICE = "Ask for the fixture cloned_database: it commits for real and is dropped afterwards."


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    broken = [f"{item.nodeid}: {fault}" for item in items for fault in faults(item)]
    if broken:
        raise pytest.UsageError("\n".join([*broken, ADVICE]))


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
