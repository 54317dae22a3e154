from __future__ import annotations

import pytest
from django.test import Client
from pytest_django import Settings

from lensproject.environment import Environment
from tests.builders import make_asset, make_key, make_network

pytestmark = pytest.mark.django_db
URL = "/api/v1/networks"


def reader(*names: str) -> dict[str, str]:
    """The header of a key with scope `read` on these networks."""
    _, token = make_key(networks=[make_network(name) for name in names])
    return {"Authorization": f"Bearer {token}"}


def test_networks_with_their_assets(client: Client) -> None:
    network = make_network()
    asset = make_asset("USDC", network=network)
    lumens = make_asset(kind="native", network=network)
    make_asset("OFF", network=network, enabled=False)
    body = client.get(URL, headers=reader("stellar:local")).json()
    assert body == {
        "networks": [
            {
                "id": "stellar:local",
                "isDefault": True,
                "playMoney": True,
                "assets": ["USDC", "XLM"],
                "schemes": ["exact"],
                "assetDetails": [
                    {
                        "asset": f"USDC:{asset.issuer}",
                        "code": "USDC",
                        "issuer": asset.issuer,
                        "contract": asset.contract,
                        "decimals": 7,
                    },
                    {"asset": "XLM", "code": "XLM", "issuer": None, "contract": lumens.contract, "decimals": 7},
                ],
            }
        ],
        "nextCursor": None,
    }


def test_a_key_sees_the_networks_that_it_names(client: Client) -> None:
    make_network("stellar:local")
    headers = reader("stellar:testnet")
    assert [item["id"] for item in client.get(URL, headers=headers).json()["networks"]] == ["stellar:testnet"]
    assert client.get(f"{URL}/stellar:local", headers=headers).status_code == 404


def test_networks_go_by_pages(client: Client) -> None:
    headers = reader("stellar:testnet", "stellar:local")
    first = client.get(f"{URL}?limit=1", headers=headers).json()
    second = client.get(URL, {"limit": "1", "cursor": first["nextCursor"]}, headers=headers).json()
    assert [item["id"] for item in first["networks"] + second["networks"]] == ["stellar:local", "stellar:testnet"]
    assert second["nextCursor"] is None


@pytest.mark.parametrize("encoded", ["stellar:local", "stellar%3Alocal"])
def test_one_network(client: Client, encoded: str) -> None:
    headers = reader("stellar:local")
    [item] = client.get(URL, headers=headers).json()["networks"]
    assert client.get(f"{URL}/{encoded}", headers=headers).json() == item


@pytest.mark.parametrize("name", ["stellar:moon", "%00", "local", "x" * 300])
def test_an_unknown_network_is_not_found(client: Client, name: str) -> None:
    response = client.get(f"{URL}/{name}", headers=reader("stellar:local"))
    assert (response.status_code, response.json()["error"]["code"]) == (404, "RESOURCE_NOT_FOUND")


def test_a_network_that_is_switched_off_is_not_shown(client: Client) -> None:
    headers = reader("stellar:local", "stellar:testnet")
    network = make_network("stellar:testnet")
    type(network).objects.filter(pk=network.pk).update(enabled=False)
    assert [item["id"] for item in client.get(URL, headers=headers).json()["networks"]] == ["stellar:local"]


def test_a_new_asset_is_a_new_version(client: Client) -> None:
    headers = reader("stellar:local")
    first = client.get(URL, headers=headers)
    assert "Last-Modified" in first
    assert client.get(URL, headers={**headers, "If-None-Match": first["ETag"]}).status_code == 304
    make_asset("NEW")
    assert client.get(URL, headers={**headers, "If-None-Match": first["ETag"]}).status_code == 200


def test_without_a_key(client: Client, settings: Settings) -> None:
    make_network()
    assert client.get(URL).status_code == 401
    settings.LENS = Environment(anonymous_reading=True)
    assert [item["id"] for item in client.get(URL).json()["networks"]] == ["stellar:local"]
