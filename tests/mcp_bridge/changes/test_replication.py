"""Logical replication as docs/change-log.md sets it up: a subscriber's readers and sweepers see what is applied."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lensproject.core import triggers
from mcp_bridge.changes import Sweep, generation
from tests.databases import Database, pointed_at
from tests.mcp_bridge.changes import clusters
from tests.mcp_bridge.changes.conftest import ITEMS
from tests.mcp_bridge.changes.shop import Item
from tests.servers.postgres import PostgresServer, postgres

# A log of what is written, and no waiting for the disk: the data are thrown away.
SETTINGS = ("ALTER SYSTEM SET wal_level = 'logical'", "ALTER SYSTEM SET fsync = off")
ON_THE_PUBLISHER = (
    "CREATE PUBLICATION lens FOR TABLE shop_item",
    "CREATE PUBLICATION lens_changes FOR TABLE mcp_bridge_change (topic, key, changed_at) WITH (publish = 'insert')",
)
ON_THE_SUBSCRIBER = (
    "ALTER TABLE mcp_bridge_change ENABLE ALWAYS TRIGGER lens_change_commit_clock_insert",
    # Of no use: an apply worker fires row triggers only. It is here to show it: the change below is counted once.
    "ALTER TABLE shop_item ENABLE ALWAYS TRIGGER lens_change_shop_item_shop_items_update",
    "CREATE SUBSCRIPTION lens CONNECTION '{url}' PUBLICATION lens, lens_changes "
    "WITH (copy_data = false, create_slot = false, slot_name = 'lens')",
)

END = (
    "ALTER SUBSCRIPTION lens DISABLE",
    "ALTER SUBSCRIPTION lens SET (slot_name = NONE)",
    "DROP SUBSCRIPTION lens",
)


@pytest.fixture
def logical_server() -> Iterator[PostgresServer]:
    """A server that may replicate: the quick one of the other tests writes too little of a log."""
    with postgres(durable=True) as server:
        yield server


def replicate(server: PostgresServer, dump: Path) -> tuple[Database, Database]:
    """A publisher and a subscriber that begins as its copy, in one cluster to need one server only."""
    clusters.execute(server.url("postgres"), *SETTINGS)
    server.stop()
    server.start()
    publisher, subscriber = (clusters.restore(dump, server, name) for name in ("publisher", "subscriber"))
    slot = "SELECT pg_create_logical_replication_slot('lens', 'pgoutput')"
    clusters.execute(publisher.url, *ON_THE_PUBLISHER, slot)
    connection = f"host={server.folder} user=lens dbname=publisher"
    clusters.execute(subscriber.url, *(statement.replace("{url}", connection) for statement in ON_THE_SUBSCRIBER))
    return publisher, subscriber


@pytest.mark.usefixtures("tracked_shop")
def test_a_subscriber_hears_of_what_is_applied_and_dates_it_itself(
    logical_server: PostgresServer, tmp_path: Path
) -> None:
    clusters.dump(tmp_path / "dump")
    publisher, subscriber = replicate(logical_server, tmp_path / "dump")
    with pointed_at(subscriber):
        assert triggers.verify() == (), "a trigger that fires always is in place"
        before = generation([ITEMS])
        sweep = Sweep()
        sweep.changed()
    began = datetime.now(UTC)
    with pointed_at(publisher):
        Item.objects.filter(code="a").update(label="published")
    with pointed_at(subscriber):
        heard = wait_for_news(sweep)
        assert (ITEMS, "a") in heard
        assert Item.objects.get(code="a").label == "published"
        after = generation([ITEMS])
    assert after.number == before.number + 1
    assert after.last_modified is not None
    assert began <= after.last_modified <= datetime.now(UTC)
    clusters.execute(subscriber.url, *END)


def wait_for_news(sweep: Sweep) -> set[tuple[str, str]]:
    deadline = time.monotonic() + 20
    while not (heard := sweep.changed()):
        assert time.monotonic() < deadline, "nothing was applied"
        time.sleep(0.02)
    return heard
