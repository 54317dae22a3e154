"""A reader of a running server sees what others committed: at once, with another version and a later lastModified."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any

from django.db import connection
from mcp.client import Client

from bazaar.models import Asset, Network, Pair, Venue
from tests.builders import make_pair
from tests.mcp_product.clients import WAYS, asking
from tests.mcp_product.conftest import Product
from tests.servers.web import WebServer


async def seen(client: Client) -> dict[str, tuple[str, str, Any]]:
    """Version, lastModified and payload of what rests on rows; the list must tell the same."""
    found = {}
    for uri in ("lens://pairs", "lens://venues"):
        result = await client.read_resource(uri)
        listed = {str(resource.uri): resource.meta for resource in (await client.list_resources()).resources}
        assert result.meta is not None
        told = listed[uri] or {}
        assert [told.get(key) for key in ("version", "lastModified")] == [
            result.meta[key] for key in ("version", "lastModified")
        ]
        text = result.contents[0].text  # type: ignore[union-attr]  # all of them are texts
        found[uri] = (result.meta["version"], result.meta["lastModified"], json.loads(text))
    return found


def raw(sql: str) -> Callable[[Product], object]:
    def run(_: Product) -> None:
        with connection.cursor() as cursor:
            cursor.execute(sql, [False])

    return run


CHANGES: dict[str, tuple[str, Callable[[Product], object]]] = {
    "queryset.update of a pair": ("lens://pairs", lambda _: Pair.objects.update(enabled=False)),
    "raw SQL on a pair": ("lens://pairs", raw("UPDATE bazaar_pair SET enabled = %s")),
    "a new pair": ("lens://pairs", lambda product: make_pair(network=product.pair.network)),
    "a deleted pair": ("lens://pairs", lambda _: Pair.objects.all().delete()),
    "queryset.update of a venue": ("lens://venues", lambda _: Venue.objects.update(enabled=False)),
    "raw SQL on a venue": ("lens://venues", raw("UPDATE bazaar_venue SET enabled = %s")),
}


def test_each_way_of_writing_is_seen_and_what_shows_the_same_is_not(server: WebServer, product: Product) -> None:
    for name, (uri, change) in CHANGES.items():
        before = asking(server, "modern", product.token, seen)
        time.sleep(0.005)  # lastModified is told in milliseconds
        change(product)
        after = asking(server, "modern", product.token, seen)
        (other,) = {"lens://pairs", "lens://venues"} - {uri}
        assert after[uri][0] != before[uri][0], name
        assert after[uri][1] > before[uri][1], name
        assert after[other] == before[other], name
        Pair.objects.update(enabled=True)
        Venue.objects.update(enabled=True)
    before = asking(server, "modern", product.token, seen)
    Pair.objects.update(decimals_shown=2, row_version=8)
    Asset.objects.update(home_domain="example.com")
    Network.objects.update(horizon_url="http://127.0.0.1:9")
    assert asking(server, "modern", product.token, seen) == before


def test_an_open_session_sees_it_too(server: WebServer, product: Product) -> None:
    def write(is_default: bool) -> None:
        Network.objects.update(is_default=is_default)
        connection.close()

    async def twice(client: Client) -> tuple[Any, Any]:
        before = await seen(client)
        await asyncio.to_thread(write, False)
        after = await seen(client)
        await asyncio.to_thread(write, True)
        return before, after

    for way in WAYS:
        before, after = asking(server, way, product.token, twice)
        assert before["lens://pairs"][2]["network"] == "stellar:local"
        assert after["lens://pairs"][2] == {"network": None, "pairs": []}
        assert after["lens://venues"][2] == {"network": None, "venues": []}
