"""The servers as fixtures: a plugin, loaded by tests/conftest.py."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

import pytest

from tests.databases import Database
from tests.servers.postgres import PostgresServer, postgres
from tests.servers.redis import RedisServer, redis
from tests.servers.web import KINDS, WebServer, serving


class StartWebServer(Protocol):
    """`start_web_server("daphne", {"LENS_…": "…"})`; call it again for a second process on the same database."""

    def __call__(
        self, kind: str, environment: Mapping[str, str] | None = None, *, port: int | None = None
    ) -> WebServer: ...


@pytest.fixture
def start_web_server(cloned_database: Database, tmp_path: Path) -> Iterator[StartWebServer]:
    """Starts servers on the test's own database, all with the same keys in var/; they end with the test."""
    with ExitStack() as servers:

        def start(kind: str, environment: Mapping[str, str] | None = None, *, port: int | None = None) -> WebServer:
            context = serving(
                kind, database_url=cloned_database.url, var=tmp_path / "var", environment=environment, port=port
            )
            return servers.enter_context(context)

        yield start


@pytest.fixture(params=KINDS)
def web_server(request: pytest.FixtureRequest, start_web_server: StartWebServer) -> WebServer:
    """The test runs twice: under Daphne and under uvicorn, on its own database."""
    return start_web_server(request.param)


@pytest.fixture
def redis_server() -> Iterator[RedisServer]:
    with redis() as server:
        yield server


@pytest.fixture
def postgres_server() -> Iterator[PostgresServer]:
    """A PostgreSQL of the test's own, on whichever database the suite runs; it may be stopped and started again."""
    with postgres() as server:
        yield server
