"""A database restored into another PostgreSQL cluster, whose transactions are numbered lower."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import connection

from lensproject.core import triggers
from mcp_bridge.changes import Sweep, fold, generation
from mcp_bridge.models import Change
from tests.databases import pointed_at
from tests.mcp_bridge.changes import clusters
from tests.mcp_bridge.changes.conftest import ITEMS
from tests.mcp_bridge.changes.shop import Item
from tests.servers.postgres import PostgresServer

# More than a fresh cluster spends on being made and restored into.
AHEAD = 20_000


def rows_of_the_future() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM mcp_bridge_change WHERE xid >= pg_snapshot_xmax(pg_current_snapshot())")
        return int(cursor.fetchone()[0])


@pytest.mark.usefixtures("tracked_shop")
def test_a_restored_database_keeps_its_triggers_and_generations_and_goes_on(
    postgres_server: PostgresServer, tmp_path: Path
) -> None:
    clusters.burn_transactions(AHEAD)
    Item.objects.filter(code="a").update(label="before the dump")
    looks = [([ITEMS], None), ([ITEMS], ["a"]), ([ITEMS], ["b"])]
    before = [generation(topics, keys) for topics, keys in looks]
    clusters.dump(tmp_path / "dump")

    with pointed_at(clusters.restore(tmp_path / "dump", postgres_server, "restored")):
        assert triggers.verify() == ()
        assert [generation(topics, keys) for topics, keys in looks] == before
        restored = rows_of_the_future()
        assert restored > 0

        sweep = Sweep()
        sweep.changed()
        Item.objects.filter(code="b").update(label="after the restore")
        assert (ITEMS, "b") in sweep.changed()
        assert generation([ITEMS], ["b"]).number == before[2].number + 1

        assert fold() >= restored, "those of the other cluster however young, and what is old"
        assert rows_of_the_future() == 0
        left = set(Change.objects.filter(topic=ITEMS).values_list("key", flat=True))
        assert (left & {"a", "b"}) == {"b"}
        assert generation([ITEMS]).number == before[0].number + 1
        assert generation([ITEMS], ["a"]) == before[1]
        assert sweep.changed() == set()
