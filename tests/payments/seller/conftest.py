from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.payments.seller.scripted import Script, Shop, scripted


@pytest.fixture
def script() -> Iterator[Script]:
    with scripted() as running:
        yield running


@pytest.fixture
def shop(script: Script) -> Shop:
    return Shop(script)
