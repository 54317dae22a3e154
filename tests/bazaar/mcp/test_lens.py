"""`lens://pairs` and `lens://venues`: the version is of the bytes, lastModified is of the rows, list and read agree."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import datetime
from hashlib import sha256
from pathlib import Path

import pytest
from django.db import connection, transaction

from bazaar.models import Asset, Network, Pair, Venue
from lensproject.core import clock
from lensproject.core.callers import ANONYMOUS
from tests.builders import make_asset, make_network, make_pair, make_venue
from tests.databases import Database
from tests.mcp_product.memory import listed, read, reader
from tests.servers.processes import ROOT
from tests.servers.web import settings

PAIRS, VENUES = "lens://pairs", "lens://venues"
OTHER_PROCESS = """
import django
django.setup()
from bazaar.models import Pair
assert Pair.objects.update(enabled=False) == 1
"""


def look(uri: str) -> tuple[str, str, datetime]:
    """Text, version and lastModified of a resource, as reading and listing both tell them."""
    text, meta = read(reader(), uri)
    entry = listed(reader())[uri]
    assert entry.meta is not None
    assert entry.annotations is not None
    assert entry.meta["version"] == meta["version"] == f"sha256:{sha256(text.encode()).hexdigest()}"
    assert entry.annotations.last_modified == entry.meta["lastModified"] == meta["lastModified"]
    assert entry.size == len(text.encode())
    changed = datetime.fromisoformat(meta["lastModified"])
    wait_until_after(changed)
    return text, meta["version"], changed


def wait_until_after(moment: datetime) -> None:
    """Times are told in milliseconds; the next change shall have another one."""
    while (clock.now() - moment).total_seconds() < 0.002:
        time.sleep(0.001)


def update_rows() -> None:
    Pair.objects.update(enabled=False)


def raw_sql() -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE bazaar_pair SET enabled = %s", [False])


def bulk_update() -> None:
    pairs = list(Pair.objects.all())
    for pair in pairs:
        pair.enabled = False
    Pair.objects.bulk_update(pairs, ["enabled"])


def delete_rows() -> None:
    Pair.objects.all().delete()


def add_a_row() -> None:
    make_pair(network=make_network("stellar:local"))


def another_default() -> None:
    Network.objects.update(is_default=False)


@pytest.mark.parametrize("change", [update_rows, raw_sql, bulk_update, delete_rows, add_a_row, another_default])
def test_a_change_by_any_way_changes_version_and_time(cloned_database: Database, change: Callable[[], None]) -> None:
    make_pair()
    text, version, at = look(PAIRS)
    change()
    text_then, version_then, at_then = look(PAIRS)
    assert (text_then != text, version_then != version, at_then > at) == (True, True, True)


def test_a_change_by_another_process_changes_version_and_time(cloned_database: Database, tmp_path: Path) -> None:
    pair = make_pair()
    text, version, at = look(PAIRS)
    assert pair.key in text
    environment = settings(cloned_database.url, tmp_path, {})
    subprocess.run([sys.executable, "-c", OTHER_PROCESS], check=True, env=environment, cwd=ROOT, timeout=60)
    text_then, version_then, at_then = look(PAIRS)
    assert json.loads(text_then)["pairs"] == []
    assert (version_then != version, at_then > at) == (True, True)


def test_what_is_shown_as_before_has_the_version_of_before(cloned_database: Database) -> None:
    make_pair()
    _, version, at = look(PAIRS)
    Pair.objects.update(enabled=False)
    Pair.objects.update(enabled=True)
    _, version_then, at_then = look(PAIRS)
    assert version_then == version
    assert at_then > at


@pytest.mark.parametrize(
    "change",
    [
        lambda: Pair.objects.update(decimals_shown=3, row_version=5, minimum_volume=9),
        lambda: Pair.objects.update(enabled=True),
        lambda: Asset.objects.update(home_domain="example.com"),
        lambda: Network.objects.update(rpc_url="http://127.0.0.1:9"),
        lambda: make_venue(),
    ],
    ids=["columns that are not shown", "the same value", "home domain", "rpc url", "a venue"],
)
def test_what_the_pairs_do_not_show_moves_nothing(cloned_database: Database, change: Callable[[], object]) -> None:
    make_pair()
    before = look(PAIRS)
    change()
    assert look(PAIRS) == before


def test_what_is_rolled_back_moves_nothing(cloned_database: Database) -> None:
    make_pair()
    before = look(PAIRS)
    with transaction.atomic():
        Pair.objects.update(enabled=False)
        transaction.set_rollback(True)
    assert look(PAIRS) == before


def test_a_switched_venue_changes_the_venues_only(cloned_database: Database) -> None:
    make_venue(key="sdex")
    make_pair()
    pairs, (_, version, at) = look(PAIRS), look(VENUES)
    Venue.objects.update(enabled=False)
    text_then, version_then, at_then = look(VENUES)
    assert json.loads(text_then)["venues"][0]["enabled"] is False
    assert (version_then != version, at_then > at) == (True, True)
    assert look(PAIRS) == pairs


def test_a_fresh_database_answers_without_a_network(cloned_database: Database) -> None:
    assert json.loads(look(PAIRS)[0]) == {"network": None, "pairs": []}
    assert json.loads(look(VENUES)[0]) == {"network": None, "venues": []}


@pytest.mark.django_db
def test_reading_needs_the_scope_read_and_lists_hide_what_may_not_be_read() -> None:
    make_asset()
    assert PAIRS in listed(reader())
    assert listed(reader(scopes=("pay",))) == {}
    assert listed(ANONYMOUS) == {}
