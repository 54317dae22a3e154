"""What these tests offer, and the servers that serve it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Group
from pytest_django import DjangoDbBlocker

from lensproject.core import triggers
from mcp_bridge import authentication, changes, freshness
from mcp_bridge.registry import Registry
from tests.databases import Database, Databases, cloned, pointed_at
from tests.mcp_bridge.offering import keys, resources
from tests.mcp_bridge.offering.resources import offer_resources, track_groups
from tests.mcp_bridge.offering.tools import offer_tools
from tests.mcp_bridge.servers import offering
from tests.servers.web import KINDS, WebServer

NEVER_LOGGED = ("never retrieved", "Exception in ASGI", "was never awaited", "was destroyed", "took too long")
"""What servers and asyncio say when an application leaves something behind."""


@pytest.fixture
def offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    """A registry with the tests' tools and resources, whose topics are tracked."""
    file = tmp_path / "file.json"
    file.write_text('{"served": "verbatim"}')
    monkeypatch.setenv("OFFERING_FILE", str(file))
    resources.RENDERED.clear()
    freshness.kept.clear()
    with changes.scratch():
        track_groups()
        keys.track_keys()
        registry = Registry()
        offer_tools(registry)
        offer_resources(registry)
        yield registry


@pytest.fixture
def rows(cloned_database: Database, offered: Registry) -> Registry:
    """`offered` on a database of the test's own, with the triggers of its topics and without groups."""
    triggers.install()
    Group.objects.all().delete()
    return offered


@pytest.fixture
def no_groups(db: None) -> None:
    """Without the groups that other apps make when they are migrated."""
    Group.objects.all().delete()


@pytest.fixture
def seam(monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """The tests' keys in place of the project's. Gives the addresses for which keys were verified."""
    monkeypatch.setattr(authentication, "_seams", [])
    authentication.authenticate_with(keys.verify, topic=keys.TOPIC)
    monkeypatch.setattr(keys, "VERIFIED", [])
    return keys.VERIFIED


@pytest.fixture(scope="session")
def served_database(
    databases: Databases, template_database: Database, django_db_blocker: DjangoDbBlocker
) -> Iterator[Database]:
    """One database for the shared servers, with the triggers of what they track."""
    with cloned(databases, template_database) as clone:
        with django_db_blocker.unblock(), pointed_at(clone), changes.scratch():
            track_groups()
            keys.track_keys()
            triggers.install()
        yield clone


@pytest.fixture(scope="session")
def shared_servers(
    served_database: Database, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, WebServer]]:
    """A Daphne and a uvicorn for all tests that only ask them something, started when first wanted."""
    with ExitStack() as stack:
        started = _Started(stack, served_database, tmp_path_factory.mktemp("shared"))
        yield started
    for server in started.values():
        assert not [line for line in server.log.read_text().splitlines() if any(bad in line for bad in NEVER_LOGGED)]


class _Started(dict[str, WebServer]):
    def __init__(self, stack: ExitStack, database: Database, var: Path) -> None:
        super().__init__()
        self._stack = stack
        self._database = database
        self._var = var

    def __missing__(self, kind: str) -> WebServer:
        self[kind] = self._stack.enter_context(offering(kind, self._database.url, self._var))
        return self[kind]


@pytest.fixture
def at_served_database(served_database: Database, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Django's connection is on the shared servers' database: keys that are issued are theirs."""
    with django_db_blocker.unblock(), pointed_at(served_database):
        yield


@pytest.fixture(params=KINDS)
def server(request: pytest.FixtureRequest, shared_servers: dict[str, WebServer], at_served_database: None) -> WebServer:
    """The test runs twice: on the shared Daphne and on the shared uvicorn."""
    return shared_servers[request.param]


@pytest.fixture
def start(served_database: Database, tmp_path: Path, at_served_database: None) -> Iterator[Any]:
    """`start(kind, bridge=…, environment=…, options=…)`: a server of the test's own on the shared database."""
    with ExitStack() as stack:

        def started(kind: str, **more: Any) -> WebServer:
            return stack.enter_context(offering(kind, served_database.url, tmp_path / "var", **more))

        yield started
