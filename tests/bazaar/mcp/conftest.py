from __future__ import annotations

from collections.abc import Iterator

import pytest

from mcp_bridge import freshness


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    """Payloads are kept under numbers of one database, and each of these tests has its own."""
    freshness.kept.clear()
    yield
    freshness.kept.clear()
