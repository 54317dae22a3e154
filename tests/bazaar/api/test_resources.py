from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from bazaar.catalog import reading
from bazaar.models import CatalogEntry
from lensproject.environment import Environment
from tests.builders import make_asset, make_entry, make_key, make_network, make_option, make_seller

pytestmark = pytest.mark.django_db
URL = "/api/v1/resources"


@pytest.fixture
def reader() -> dict[str, str]:
    """The header of a key with scope `read` on the local network."""
    _, token = make_key(networks=[make_network()])
    return {"Authorization": f"Bearer {token}"}


def titles(body: dict[str, Any]) -> list[str]:
    return [resource["title"] for resource in body["resources"]]


def test_the_catalogue_has_the_items_of_the_search(client: Client, reader: dict[str, str]) -> None:
    entry = make_entry(title="Rain")
    body = client.get(URL, headers=reader).json()
    assert list(body) == ["resources", "partialResults", "nextCursor"]
    assert body["resources"] == reading.resource_items([entry], [make_network()])
    assert (body["partialResults"], body["nextCursor"]) == (False, None)


def test_amounts_are_text(client: Client, reader: dict[str, str]) -> None:
    make_entry()
    [resource] = client.get(URL, headers=reader).json()["resources"]
    assert resource["prices"][0]["amount"] == "0.50"


def test_pages_go_by_title_without_gap_or_overlap(client: Client, reader: dict[str, str]) -> None:
    for title in ("delta", "alpha", "echo", "charlie", "bravo"):
        make_entry(title=title)
    seen: list[str] = []
    cursor: dict[str, str] = {}
    for _ in range(3):
        body = client.get(URL, {"limit": "2", **cursor}, headers=reader).json()
        seen += titles(body)
        cursor = {"cursor": body["nextCursor"]}
    assert seen == ["alpha", "bravo", "charlie", "delta", "echo"]
    assert cursor == {"cursor": None}


def test_words_find_what_has_them(client: Client, reader: dict[str, str]) -> None:
    make_entry(title="Rain in a city", tags=[])
    make_entry(title="Snow", description="More rain than snow.", tags=[])
    make_entry(title="Wind", tags=[])
    assert titles(client.get(URL, {"query": "rain"}, headers=reader).json()) == ["Rain in a city", "Snow"]


def test_filters_narrow_the_list(client: Client, reader: dict[str, str]) -> None:
    asset = make_asset("GOLD")
    make_entry(title="Gold", asset=asset)
    make_entry(title="Tool", kind="mcp", method="", tool="forecast", route="/mcp")
    assert titles(client.get(URL, {"kind": "mcp"}, headers=reader).json()) == ["Tool"]
    assert titles(client.get(URL, {"asset": "GOLD"}, headers=reader).json()) == ["Gold"]
    assert titles(client.get(URL, {"asset": asset.canonical}, headers=reader).json()) == ["Gold"]
    assert titles(client.get(URL, {"network": "stellar:local"}, headers=reader).json()) == ["Gold", "Tool"]


@pytest.mark.parametrize(
    ("parameters", "status", "code"),
    [
        ({"network": "stellar:pubnet"}, 400, "UNSUPPORTED_NETWORK"),
        ({"network": "\x00"}, 400, "UNSUPPORTED_NETWORK"),
        ({"network": ""}, 400, "UNSUPPORTED_NETWORK"),
        ({"asset": "NONE"}, 400, "UNSUPPORTED_ASSET"),
        ({"asset": "'; DROP"}, 400, "UNSUPPORTED_ASSET"),
        ({"kind": "ftp"}, 422, "INVALID_INPUT"),
        ({"query": "x" * 201}, 422, "INVALID_INPUT"),
        ({"query": " ".join(f"w{number}" for number in range(13))}, 422, "INVALID_INPUT"),
        ({"limit": "0"}, 422, "INVALID_INPUT"),
        ({"limit": "10000"}, 422, "INVALID_INPUT"),
        ({"cursor": "nonsense"}, 422, "INVALID_INPUT"),
        ({"cursor": ""}, 422, "INVALID_INPUT"),
        ({"cursor": "\x00"}, 422, "INVALID_INPUT"),
        ({"cursor": "x" * 4001}, 422, "INVALID_INPUT"),
        ({"offset": "20"}, 422, "INVALID_INPUT"),
    ],
)
def test_bad_input_has_a_clear_answer(
    client: Client, reader: dict[str, str], parameters: dict[str, str], status: int, code: str
) -> None:
    make_entry()
    response = client.get(URL, parameters, headers=reader)
    assert (response.status_code, response.json()["error"]["code"]) == (status, code)


def test_signs_without_a_word_find_nothing(client: Client, reader: dict[str, str]) -> None:
    make_entry()
    assert client.get(URL, {"query": "%_\x00("}, headers=reader).json()["resources"] == []


def test_a_code_that_two_assets_share_lists_both(client: Client, reader: dict[str, str]) -> None:
    make_asset("TWIN")
    make_asset("TWIN")
    response = client.get(URL, {"asset": "TWIN"}, headers=reader)
    assert (response.status_code, response.json()["error"]["code"]) == (422, "INVALID_INPUT")
    assert len(response.json()["error"]["details"]["candidates"]) == 2


def test_a_cursor_of_another_search_is_refused(client: Client, reader: dict[str, str]) -> None:
    make_entry()
    make_entry()
    cursor = client.get(URL, {"limit": "1"}, headers=reader).json()["nextCursor"]
    response = client.get(URL, {"limit": "1", "cursor": cursor, "kind": "http"}, headers=reader)
    assert (response.status_code, list(response.json()["error"]["details"]["fields"])) == (422, ["cursor"])


@pytest.mark.parametrize("state", ["draft", "paused"])
def test_what_is_not_listed_is_not_shown(client: Client, reader: dict[str, str], state: str) -> None:
    entry = make_entry(state=state)
    assert client.get(URL, headers=reader).json()["resources"] == []
    assert client.get(f"{URL}/{entry.public_id}", headers=reader).status_code == 404


def test_one_resource_is_its_inspection(client: Client, reader: dict[str, str]) -> None:
    entry = make_entry(input_schema={"type": "object"})
    response = client.get(f"{URL}/{entry.public_id}", headers=reader)
    assert response.status_code == 200
    assert response.json() == reading.inspect(entry.public_id, [make_network()])
    assert response.json()["inputSchema"] == {"type": "object"}


@pytest.mark.parametrize("wanted", ["resource_0", "%00", "..", "a" * 300, "'%20or%201=1", "%F0%9F%98%80"])
def test_an_unknown_resource_is_not_found(client: Client, reader: dict[str, str], wanted: str) -> None:
    response = client.get(f"{URL}/{wanted}", headers=reader)
    assert (response.status_code, response.json()["error"]["code"]) == (404, "RESOURCE_NOT_FOUND")


def test_a_key_sees_what_can_be_paid_on_its_networks(client: Client, reader: dict[str, str]) -> None:
    testnet = make_network("stellar:testnet")
    entry = make_entry(title="Elsewhere", asset=make_asset(network=testnet))
    assert client.get(URL, headers=reader).json()["resources"] == []
    assert client.get(f"{URL}/{entry.public_id}", headers=reader).status_code == 404
    _, token = make_key(networks=[testnet])
    there = {"Authorization": f"Bearer {token}"}
    assert titles(client.get(URL, headers=there).json()) == ["Elsewhere"]


def test_without_a_key_nothing_is_shown(client: Client) -> None:
    entry = make_entry()
    for url in (URL, f"{URL}/{entry.public_id}"):
        response = client.get(url)
        assert (response.status_code, response.json()["error"]["code"]) == (401, "UNAUTHENTICATED")


def test_without_a_key_where_reading_is_open(client: Client, settings: Settings) -> None:
    settings.LENS = Environment(anonymous_reading=True)
    entry = make_entry(title="For all")
    assert titles(client.get(URL).json()) == ["For all"]
    assert client.get(f"{URL}/{entry.public_id}").status_code == 200


def test_the_version_stands_while_nothing_changes(client: Client, reader: dict[str, str]) -> None:
    make_entry(title="a")
    entry = make_entry(title="b")
    first = client.get(URL, {"limit": "1"}, headers=reader)
    again = client.get(URL, {"limit": "1"}, headers={**reader, "If-None-Match": first["ETag"]})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    CatalogEntry.objects.exclude(pk=entry.pk).update(title="A")
    changed = client.get(URL, {"limit": "1"}, headers={**reader, "If-None-Match": first["ETag"]})
    assert changed.status_code == 200
    assert changed["ETag"] != first["ETag"]


def test_a_page_costs_the_same_queries_whatever_its_size(
    client: Client, reader: dict[str, str], django_assert_num_queries: Any
) -> None:
    seller = make_seller()
    make_entry(seller=seller)
    client.get(URL, headers=reader)  # Writes the key's last use, once a minute.
    # The key with its agent, its networks; the change log; the networks; the page; the prices of the page.
    with django_assert_num_queries(6):
        client.get(URL, headers=reader)
    for _ in range(9):
        make_option(entry=make_entry(seller=seller))
    with django_assert_num_queries(6):
        assert len(client.get(URL, headers=reader).json()["resources"]) == 10
