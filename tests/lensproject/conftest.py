from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connections
from pytest_django import DjangoDbBlocker, Settings

from tests.databases import Database, chosen_engine, pointed_at


@pytest.fixture
def no_database(django_db_blocker: DjangoDbBlocker, tmp_path: Path, settings: Settings) -> Iterator[None]:
    """Django's connections lead to a place where no database answers."""
    nowhere = tmp_path / "gone"
    url = (
        f"sqlite:///{nowhere}/db.sqlite3" if chosen_engine() == "sqlite" else f"postgres://nobody@/none?host={nowhere}"
    )
    options: dict[str, Any] = connections.settings["default"]["OPTIONS"]
    before = dict(options)
    if "pool" in options:
        options["pool"] = {**options["pool"], "timeout": 0.5}
    with django_db_blocker.unblock(), pointed_at(Database(url)):
        yield
    options.clear()
    options.update(before)
