"""One ledger process a module, that closes a ledger five times a second; its own rows for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pydantic import SecretStr
from pytest_django import Settings
from stellar_sdk import Keypair

from tests.databases import Database
from tests.payments.facilitator.world import World, make_world
from tests.payments.sandbox.running import RunningSandbox, sandbox


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with sandbox(tmp_path_factory.mktemp("ledger"), ledger_seconds=0.2) as running:
        yield running


@pytest.fixture(autouse=True)
def no_faults(request: pytest.FixtureRequest) -> Iterator[None]:
    """A fault that a test scripted ends with it."""
    yield
    if "ledger" in request.fixturenames:
        request.getfixturevalue("ledger").control("clear")


@pytest.fixture
def world(ledger: RunningSandbox, cloned_database: Database, settings: Settings) -> World:
    """A facilitator that is open, with one funded account."""
    key = Keypair.random()
    settings.LENS = settings.LENS.model_copy(
        update={"facilitator_open": True, "facilitator_key": SecretStr(key.raw_secret_key().hex())}
    )
    ledger.friendbot(key.public_key)
    return make_world(ledger, key)
