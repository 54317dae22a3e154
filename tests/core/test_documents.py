from __future__ import annotations

from typing import Any

import pytest

from lensproject.core.documents import depth


@pytest.mark.parametrize(
    ("document", "expected"), [(1, 1), ("[[[", 1), ([], 1), ([1], 2), ({"a": {"b": [1]}}, 4), ([[], [[2]]], 4)]
)
def test_depth(document: Any, expected: int) -> None:
    assert depth(document) == expected


def test_a_depth_beyond_recursion() -> None:
    nested: list[Any] = []
    for _ in range(99_999):
        nested = [nested]
    assert depth(nested) == 100_000
