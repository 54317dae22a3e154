from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client
from django.utils.http import http_date

from bazaar.models import Pair, Venue
from lensproject.core import versions
from lensproject.core.callers import Caller
from lensproject.core.versions import Versioned
from tests.builders import make_asset, make_key, make_network, make_pair, make_venue

READER = Caller(subject="agent", key_id="k", scopes=frozenset({"read"}))
LISTS = [("pairs", "pairKey"), ("venues", "key")]


def make_rows(name: str, count: int) -> None:
    for _ in range(count):
        make_pair() if name == "pairs" else make_venue()


def over_mcp(name: str) -> tuple[Versioned, dict[str, Any]]:
    """What an MCP client reads at this moment."""
    whole = versions.current().read(f"lens://{name}", READER)
    return whole, json.loads(whole.body)


@pytest.fixture
def reader(db: None) -> dict[str, str]:
    """The header of a key with scope `read`."""
    _, token = make_key()
    return {"Authorization": f"Bearer {token}"}


@pytest.mark.parametrize(("name", "key"), LISTS)
def test_the_items_are_those_of_mcp(client: Client, reader: dict[str, str], name: str, key: str) -> None:
    make_rows(name, 3)
    _, payload = over_mcp(name)
    body = client.get(f"/api/v1/{name}", headers=reader).json()
    assert len(payload[name]) == 3
    assert body == {**payload, "nextCursor": None}


@pytest.mark.parametrize(("name", "key"), LISTS)
def test_version_and_time_are_those_of_mcp(client: Client, reader: dict[str, str], name: str, key: str) -> None:
    make_rows(name, 2)
    whole, _ = over_mcp(name)
    response = client.get(f"/api/v1/{name}", headers=reader)
    assert whole.last_modified is not None
    assert response["ETag"] == f'"{whole.version}"'
    assert response["Last-Modified"] == http_date(int(whole.last_modified.timestamp()))


@pytest.mark.parametrize(("name", "key"), LISTS)
def test_pages_meet_and_all_carry_the_version_of_the_whole(
    client: Client, reader: dict[str, str], name: str, key: str
) -> None:
    make_rows(name, 5)
    whole, payload = over_mcp(name)
    seen: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    for _ in range(3):
        response = client.get(f"/api/v1/{name}", {"limit": "2", **cursor}, headers=reader)
        assert response["ETag"] == f'"{whole.version}"'
        seen += response.json()[name]
        cursor = {"cursor": response.json()["nextCursor"]}
    assert seen == payload[name]
    assert cursor == {"cursor": None}


@pytest.mark.parametrize(("name", "key"), LISTS)
def test_who_has_the_version_gets_304(client: Client, reader: dict[str, str], name: str, key: str) -> None:
    make_rows(name, 1)
    whole, _ = over_mcp(name)
    response = client.get(f"/api/v1/{name}", headers={**reader, "If-None-Match": f'"{whole.version}"'})
    assert (response.status_code, response.content) == (304, b"")
    make_rows(name, 1)
    assert client.get(f"/api/v1/{name}", headers={**reader, "If-None-Match": f'"{whole.version}"'}).status_code == 200


@pytest.mark.parametrize(("name", "key"), LISTS)
def test_who_names_the_time_gets_304(client: Client, reader: dict[str, str], name: str, key: str) -> None:
    make_rows(name, 1)
    since = client.get(f"/api/v1/{name}", headers=reader)["Last-Modified"]
    assert client.get(f"/api/v1/{name}", headers={**reader, "If-Modified-Since": since}).status_code == 304
    long_ago = {**reader, "If-Modified-Since": "Thu, 01 Jan 2026 00:00:00 GMT"}
    assert client.get(f"/api/v1/{name}", headers=long_ago).status_code == 200


def test_changes_by_any_way_are_seen(client: Client, reader: dict[str, str]) -> None:
    first, second = make_pair(), make_pair()
    before = client.get("/api/v1/pairs", headers=reader)
    Pair.objects.filter(pk=first.pk).update(enabled=False)
    after = client.get("/api/v1/pairs", headers=reader)
    assert after["ETag"] != before["ETag"]
    assert [item["pairKey"] for item in after.json()["pairs"]] == [second.key]


def test_a_pair_is_found_by_its_percent_encoded_key(client: Client, reader: dict[str, str]) -> None:
    lumens = make_asset(kind="native")
    pair = make_pair(asset_a=lumens)
    response = client.get(f"/api/v1/pairs/{quote(pair.key, safe='')}", headers=reader)
    assert response.status_code == 200
    assert response.json() == {
        "network": "stellar:local",
        "pairKey": pair.key,
        "assetA": "XLM",
        "assetB": pair.asset_b.canonical,
    }
    assert client.get(f"/api/v1/pairs/{pair.key}", headers=reader).json() == response.json()


def test_an_item_has_a_version_of_its_own(client: Client, reader: dict[str, str]) -> None:
    pair = make_pair()
    url = f"/api/v1/pairs/{quote(pair.key, safe='')}"
    first = client.get(url, headers=reader)
    assert first["ETag"] != client.get("/api/v1/pairs", headers=reader)["ETag"]
    make_pair()
    assert client.get(url, headers={**reader, "If-None-Match": first["ETag"]}).status_code == 304


@pytest.mark.parametrize("key", ["XLM", "XLM/XLM", "%00", "%2F", "a" * 500, "..%2F..", "XLM%2FUSDC%3F"])
def test_an_unknown_pair_is_not_found(client: Client, reader: dict[str, str], key: str) -> None:
    make_pair()
    response = client.get(f"/api/v1/pairs/{key}", headers=reader)
    assert (response.status_code, response.json()["error"]["code"]) == (404, "RESOURCE_NOT_FOUND")


def test_a_pair_that_is_switched_off_is_not_found(client: Client, reader: dict[str, str]) -> None:
    pair = make_pair(enabled=False)
    assert client.get(f"/api/v1/pairs/{quote(pair.key, safe='')}", headers=reader).status_code == 404


def test_a_venue_is_found_by_its_key(client: Client, reader: dict[str, str]) -> None:
    venue = make_venue(enabled=False, source="https://user:secret@horizon.example/x?key=secret")
    response = client.get(f"/api/v1/venues/{venue.key}", headers=reader)
    assert response.json() == {
        "network": "stellar:local",
        "key": venue.key,
        "source": "https://horizon.example/x",
        "enabled": False,
    }
    assert client.get("/api/v1/venues/nowhere", headers=reader).status_code == 404


def test_without_a_default_network_the_lists_are_empty(client: Client, reader: dict[str, str]) -> None:
    network = make_network()
    make_pair(network=network)
    Venue.objects.all().delete()
    type(network).objects.filter(pk=network.pk).update(is_default=False)
    assert client.get("/api/v1/pairs", headers=reader).json() == {"network": None, "pairs": [], "nextCursor": None}
    assert client.get("/api/v1/venues", headers=reader).json() == {"network": None, "venues": [], "nextCursor": None}


@pytest.mark.parametrize(("name", "key"), LISTS)
def test_a_cursor_of_another_list_is_refused(client: Client, reader: dict[str, str], name: str, key: str) -> None:
    other = "venues" if name == "pairs" else "pairs"
    make_rows(name, 2)
    make_rows(other, 2)
    cursor = client.get(f"/api/v1/{other}?limit=1", headers=reader).json()["nextCursor"]
    assert cursor is not None
    response = client.get(f"/api/v1/{name}", {"cursor": cursor}, headers=reader)
    assert (response.status_code, response.json()["error"]["code"]) == (422, "INVALID_INPUT")


@pytest.mark.parametrize("path", ["pairs", "pairs/XLM%2FUSDC", "venues", "venues/sdex"])
def test_without_a_key_nothing_is_shown(client: Client, db: None, path: str) -> None:
    response = client.get(f"/api/v1/{path}")
    assert (response.status_code, response.json()["error"]["code"]) == (401, "UNAUTHENTICATED")
