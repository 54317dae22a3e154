"""The table of ways of writing: which keys each moves, for sweepers, for generations and for lastModified alike."""

from __future__ import annotations

import pytest

from tests.mcp_bridge.changes.conftest import ITEMS, PARTS, Watch
from tests.mcp_bridge.changes.ways import WAYS, Way

CODES = ("a", "b", "c", "d", "e", "x", "y", "z")
IDS = ("1", "2", "3", "4", "5", "9", "30")


def generations_that_move(keys: set[str], watched: tuple[str, ...]) -> set[str]:
    """`*` is every key; whatever moves a key moves the whole topic."""
    if not keys:
        return set()
    return {"whole", *(watched if "*" in keys else keys)}


@pytest.mark.usefixtures("tracked_shop")
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
def test_a_way_of_writing_moves_its_keys_and_no_others(way: Way) -> None:
    for topic, keys, watched in ((ITEMS, way.items, CODES), (PARTS, way.parts, IDS)):
        assert set(keys.split()) <= {*watched, "*"}, topic
    items, parts = Watch(ITEMS, *CODES), Watch(PARTS, *IDS)
    way.write()
    for watch, keys, watched in ((items, way.items, CODES), (parts, way.parts, IDS)):
        expected = set(keys.split())
        assert watch.swept() == expected
        assert watch.moved() == generations_that_move(expected, watched)
        assert watch.aged() == generations_that_move(expected, watched)
