from __future__ import annotations

import os

import pytest

from tests.servers.patience import within


@pytest.mark.parametrize(("load", "bound"), [(0.1, 3.0), (2.0, 3.0), (8.0, 12.0), (500.0, 30.0)])
def test_the_bound_grows_with_the_queue(load: float, bound: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0.0, 0.0))
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert within(3) == bound
