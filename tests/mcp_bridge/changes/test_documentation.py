"""docs/change-log.md says what the code does: names, numbers and statements."""

from __future__ import annotations

import re

import pytest

from lensproject.core import triggers
from lensproject.environment import ROOT
from mcp_bridge import changes
from mcp_bridge.changes.fold import EVERY_SECONDS, KEEP
from mcp_bridge.changes.keeping import ATTEMPTS
from mcp_bridge.changes.sweep import LONGEST_SILENCE
from tests.mcp_bridge.changes.test_replication import ON_THE_PUBLISHER, ON_THE_SUBSCRIBER

PAGE = (ROOT / "docs" / "change-log.md").read_text(encoding="utf-8")

# Called by the bridge itself, or for tests.
INNER = {"Fresh", "Generation", "TrackingError", "connect", "fold", "scratch", "topics"}


@pytest.mark.parametrize("name", sorted(set(changes.__all__) - INNER))
def test_what_an_app_may_use_is_on_the_page(name: str) -> None:
    assert re.search(rf"\b{name}\b", PAGE)


@pytest.mark.parametrize("name", ["guard", "immutable", "append_only", "Trigger"])
def test_the_ways_of_declaring_a_trigger_are_on_the_page(name: str) -> None:
    assert name in triggers.__all__
    assert f"`{name}`" in PAGE


def test_the_times_are_those_of_the_code() -> None:
    assert f"a job every {EVERY_SECONDS} s counts rows older than {KEEP.seconds} s" in PAGE
    assert f"has not looked for {LONGEST_SILENCE:.0f} s" in PAGE
    assert ATTEMPTS == 5
    assert "five times at most" in PAGE


@pytest.mark.parametrize("statement", [ON_THE_PUBLISHER[1], ON_THE_SUBSCRIBER[0]])
def test_the_statements_for_replication_are_those_that_were_tried(statement: str) -> None:
    assert f"{statement};" in PAGE
