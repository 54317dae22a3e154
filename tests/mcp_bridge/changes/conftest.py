"""A tracked shop in a database of the test's own, and a watcher that says what a write moved."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from lensproject.core import triggers
from mcp_bridge import changes
from mcp_bridge.changes import Generation, Sweep, generation
from tests.databases import Database, chosen_engine
from tests.mcp_bridge.changes import shop

ITEMS, PARTS = "shop.items", "shop.parts"

# SQLite writes milliseconds.
TICK = timedelta(milliseconds=1)

# What only PostgreSQL has: transactions that commit late, folding, clusters.
ON_POSTGRESQL = ["test_fold_rows.py", "test_late_commits.py", "test_restore.py", "test_replication.py"]
collect_ignore = [] if chosen_engine() == "postgresql" else ON_POSTGRESQL


@pytest.fixture
def tracked_shop(cloned_database: Database) -> Iterator[None]:
    """`shop.items`: items by their code. `shop.parts`: items by their id, and notes by their item's."""
    shop.build()
    with changes.scratch():
        track_shop()
        triggers.install()
        yield


def track_shop() -> None:
    columns = ("code", "shelf", "label", "price", "data")
    changes.track(shop.Item, topic=ITEMS, key="code", columns=columns)
    changes.track(shop.Item, topic=PARTS, columns=columns)
    changes.track(shop.Note, topic=PARTS, key="item", columns=("text",))


class Watch:
    """What readers of a topic see before and after a write."""

    def __init__(self, topic: str, *keys: str) -> None:
        self.topic = topic
        self.began = datetime.now(UTC) - TICK
        self._keys = keys
        self._sweep = Sweep()
        self._sweep.changed()
        self._whole = generation([topic])
        self._each = self._generations()

    def swept(self) -> set[str]:
        """The keys that a sweeper hears of."""
        return {key for topic, key in self._sweep.changed() if topic == self.topic}

    def moved(self) -> set[str]:
        """The keys, of those watched, whose generation is another one, and `whole` for the topic's."""
        now = self._generations()
        found = {key for key in self._keys if now[key].number != self._each[key].number}
        return found | ({"whole"} if generation([self.topic]).number != self._whole.number else set())

    def aged(self) -> set[str]:
        """As `moved`, by lastModified: those whose time is now that of the write."""
        pairs = {key: (self._each[key], later) for key, later in self._generations().items()}
        pairs["whole"] = (self._whole, generation([self.topic]))
        changed = {
            name: later for name, (before, later) in pairs.items() if before.last_modified != later.last_modified
        }
        for later in changed.values():
            assert later.last_modified is not None
            assert self.began <= later.last_modified <= datetime.now(UTC)
        return set(changed)

    def _generations(self) -> dict[str, Generation]:
        return {key: generation([self.topic], [key]) for key in self._keys}
