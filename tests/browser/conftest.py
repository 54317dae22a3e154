from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django import DjangoDbBlocker

from tests.browser.desk import Desk, browsing, chromium
from tests.browser.rows import fill
from tests.databases import Database, Databases, cloned, pointed_at
from tests.servers.web import serving


@pytest.fixture(scope="package")
def desk(
    databases: Databases,
    template_database: Database,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Desk]:
    """One server, one browser and one set of rows for all tests of this folder; what one adds, the others bear."""
    chromium()
    folder = tmp_path_factory.mktemp("browser")
    with cloned(databases, template_database) as clone:
        with django_db_blocker.unblock(), pointed_at(clone):
            fill()
        with (
            serving("daphne", database_url=clone.url, var=folder / "var") as server,
            browsing(server.url, folder) as opened,
        ):
            yield opened
