"""A node in this process for what needs no wire, and one ledger process a module for what does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from stellar_sdk import SorobanServer

from tests.payments.sandbox.bench import Bench
from tests.payments.sandbox.running import RunningSandbox, sandbox


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.node.store.close()


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    """Closes a ledger by step only."""
    with sandbox(tmp_path_factory.mktemp("ledger"), ledger_seconds=0) as running:
        yield running


@pytest.fixture
def rpc(ledger: RunningSandbox) -> Iterator[SorobanServer]:
    with ledger.rpc() as server:
        yield server
