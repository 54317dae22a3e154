from __future__ import annotations

import json
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import pytest

from bazaar.models import Network
from lensproject.core import clock
from lensproject.core.ids import is_public_id
from tests.builders import make_network, make_pair, make_venue
from tests.mcp_product.memory import listed, read, reader

pytestmark = pytest.mark.django_db
URI = "lens://status"
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def status() -> Any:
    return json.loads(read(reader(), URI)[0])


def test_it_tells_network_nodes_venues_pairs_and_server() -> None:
    network = make_network(rpc_url="https://rpc.example/v1", horizon_url="https://horizon.example")
    make_pair(network=network)
    make_pair(network=network)
    make_pair(network=network, enabled=False)
    make_venue(network=network, key="soroswap", kind="soroswap", enabled=False)
    make_venue(network=network, key="sdex")
    with clock.frozen(NOON):
        found = status()
    reading = found.pop("readingId")
    assert is_public_id(reading, "reading")
    assert found == {
        "network": "stellar:local",
        "horizonUrl": "https://horizon.example",
        "rpcUrl": "https://rpc.example",
        "venues": [{"key": "sdex", "enabled": True}, {"key": "soroswap", "enabled": False}],
        "watchedPairs": 2,
        "server": found["server"],
        "generatedAt": "2026-11-30T12:00:00.000Z",
    }
    assert found["server"]["name"] == "lens-bazaar"
    assert set(found["server"]) == {"name", "version"}


def test_no_part_of_a_node_that_may_be_a_key_is_shown() -> None:
    make_network()
    secret = "https://me:hunter2@rpc.example:8443/v1/hunter2?key=hunter2#hunter2"
    Network.objects.update(rpc_url=secret, horizon_url=secret)
    text, _ = read(reader(), URI)
    assert "hunter2" not in text
    assert json.loads(text)["rpcUrl"] == json.loads(text)["horizonUrl"] == "https://rpc.example:8443"


def test_a_node_that_is_not_configured_is_null() -> None:
    make_network(rpc_url="")
    assert (status()["rpcUrl"], status()["horizonUrl"]) == (None, None)


def test_without_a_default_network_the_answer_says_so() -> None:
    found = status()
    assert (found["network"], found["horizonUrl"], found["rpcUrl"]) == (None, None, None)
    assert (found["venues"], found["watchedPairs"]) == ([], 0)


def test_every_reading_is_a_new_version_even_in_one_instant() -> None:
    make_network()
    with clock.frozen(NOON):
        versions = {read(reader(), URI)[1]["version"] for _ in range(3)}
        listing = listed(reader())[URI].meta
    assert listing is not None
    assert len(versions | {listing["version"]}) == 4


def test_the_instant_of_reading_is_its_last_modified() -> None:
    text, meta = read(reader(), URI)
    assert json.loads(text)["generatedAt"] == meta["lastModified"]
    assert meta["version"] == f"sha256:{sha256(text.encode()).hexdigest()}"
    annotations = listed(reader())[URI].annotations
    assert annotations is not None
    assert str(annotations.last_modified) > meta["lastModified"]
