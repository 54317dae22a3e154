"""The session's databases and servers, for every test.

Databases: `db` (a transaction that is rolled back) for most tests, `cloned_database` for tests that need commits,
threads or processes. Servers (tests/servers/fixtures.py): `web_server` and `start_web_server` for Daphne and uvicorn,
`redis_server`, `postgres_server`.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.cache import caches
from pytest_django import DjangoDbBlocker, Settings

from lensproject.core import pool
from mcp_bridge import freshness
from tests.databases import (
    Database,
    Databases,
    PostgresDatabases,
    SqliteDatabases,
    chosen_engine,
    cloned,
    migrated_template,
    pointed_at,
)
from tests.servers.folders import temporary_folder
from tests.servers.postgres import postgres

pytest_plugins = ["tests.rules", "tests.servers.fixtures"]

SHARED = "lens_shared"
PLACES = pytest.StashKey[dict[str, str]]()


def pytest_configure(config: pytest.Config) -> None:
    """The process that was started by hand owns what the session shares; xdist's workers are told where it is."""
    heed_interruptions()
    workerinput = getattr(config, "workerinput", None)
    if workerinput is not None:
        config.stash[PLACES] = workerinput[SHARED]
        return
    resources = contextlib.ExitStack()
    config.add_cleanup(resources.close)
    folder = resources.enter_context(temporary_folder("db", quick=True))
    config.stash[PLACES] = {"folder": str(folder)}
    if chosen_engine() == "postgresql" and not config.option.collectonly:
        config.stash[PLACES]["postgresql"] = str(resources.enter_context(postgres()).folder)


def heed_interruptions() -> None:
    """A shell starts what it puts into the background with SIGINT ignored; our children would inherit that."""
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: object) -> None:
    """Before an xdist worker starts."""
    node.workerinput[SHARED] = node.config.stash[PLACES]  # type: ignore[attr-defined]


def pytest_report_header() -> str:
    return f"database: {chosen_engine()}"


@pytest.fixture(scope="session")
def databases(pytestconfig: pytest.Config) -> Databases:
    places = pytestconfig.stash[PLACES]
    folder = Path(places["folder"])
    return PostgresDatabases(folder, Path(places["postgresql"])) if "postgresql" in places else SqliteDatabases(folder)


@pytest.fixture(scope="session")
def template_database(
    databases: Databases, django_test_environment: None, django_db_blocker: DjangoDbBlocker
) -> Database:
    """Migrated once a session. Nobody connects to it; it is there to be cloned."""
    with django_db_blocker.unblock():
        return migrated_template(databases)


@pytest.fixture(scope="session")
def django_db_setup(
    databases: Databases, template_database: Database, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    """In place of pytest-django's: this process's database, in which `db` opens its transactions, is a clone too."""
    with cloned(databases, template_database) as clone, pointed_at(clone):
        yield


@pytest.fixture
def cloned_database(
    databases: Databases, template_database: Database, django_db_blocker: DjangoDbBlocker, settings: Settings
) -> Iterator[Database]:
    """A database of the test's own, with Django's default connection on it: commits, threads and processes are real.

    Steps of asynchronous code run in the threads of `core.pool`, as in a server. Child processes get its `url`.
    """
    settings.POOL_IN_THE_TEST_THREAD = False
    with cloned(databases, template_database) as clone, django_db_blocker.unblock(), pointed_at(clone):
        try:
            yield clone
        finally:
            pool.close()


@pytest.fixture(autouse=True)
def empty_caches() -> Iterator[None]:
    """What a test puts into the process's cache, the next one does not find."""
    yield
    for cache in caches.all(initialized_only=True):
        cache.clear()
    # Payloads are kept under numbers of one database, and tests have databases of their own.
    freshness.kept.clear()
