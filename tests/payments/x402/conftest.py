"""One local ledger for the tests of this folder; each test makes accounts of its own on it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.payments.sandbox.running import RunningSandbox, sandbox
from tests.servers.folders import temporary_folder


@pytest.fixture(scope="session")
def ledger() -> Iterator[RunningSandbox]:
    """It closes ledgers when it is told to."""
    with temporary_folder("ledger") as folder, sandbox(folder, ledger_seconds=0) as running:
        yield running
