from __future__ import annotations

import pytest
from pytest_django import DjangoAssertNumQueries

from bazaar.catalog.supported import chosen_networks, named_assets, supported_networks
from bazaar.errors import UnsupportedAsset, UnsupportedNetwork
from bazaar.models import Asset, Network
from lensproject.core.callers import ANONYMOUS, Caller
from lensproject.core.errors import InvalidInput
from tests.builders import make_asset, make_network
from tests.builders.numbers import contract

pytestmark = pytest.mark.django_db


def caller(*networks: str) -> Caller:
    return Caller("agent", key_id="key", scopes=frozenset({"read"}), networks=frozenset(networks))


def both_networks() -> list[Network]:
    return [make_network("stellar:local"), make_network("stellar:testnet")]


def test_a_network_is_told_with_its_assets_and_schemes() -> None:
    dollars = make_asset("USDC")
    assert supported_networks(ANONYMOUS) == [
        {
            "id": "stellar:local",
            "isDefault": True,
            "playMoney": True,
            "assets": ["USDC"],
            "schemes": ["exact"],
            "assetDetails": [
                {
                    "asset": f"USDC:{dollars.issuer}",
                    "code": "USDC",
                    "issuer": dollars.issuer,
                    "contract": dollars.contract,
                    "decimals": 7,
                }
            ],
        }
    ]


def test_the_native_asset_has_no_issuer() -> None:
    make_asset(kind="native")
    (network,) = supported_networks(ANONYMOUS)
    assert [(asset["asset"], asset["issuer"]) for asset in network["assetDetails"]] == [("XLM", None)]


def test_two_assets_of_one_code_are_one_code_and_two_details() -> None:
    make_asset("USDC")
    make_asset("USDC")
    (network,) = supported_networks(ANONYMOUS)
    assert network["assets"] == ["USDC"]
    assert len(network["assetDetails"]) == 2


def test_networks_and_assets_that_are_off_are_not_told() -> None:
    make_asset("GONE", enabled=False)
    make_asset("TEST", network=make_network("stellar:testnet", enabled=False))
    (network,) = supported_networks(ANONYMOUS)
    assert (network["id"], network["assets"]) == ("stellar:local", [])


def test_a_key_sees_the_networks_that_it_names() -> None:
    both_networks()
    assert [network["id"] for network in supported_networks(ANONYMOUS)] == ["stellar:local", "stellar:testnet"]
    assert [network["id"] for network in supported_networks(caller("stellar:testnet"))] == ["stellar:testnet"]
    assert supported_networks(caller()) == []


def test_two_queries_whatever_there_is(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    for network in both_networks():
        make_asset(network=network)
    with django_assert_num_queries(2):
        assert len(supported_networks(ANONYMOUS)) == 2


def test_without_a_name_all_networks_of_the_caller_are_meant() -> None:
    local, testnet = both_networks()
    assert chosen_networks(None, ANONYMOUS) == [local, testnet]
    assert chosen_networks("stellar:testnet", ANONYMOUS) == [testnet]


@pytest.mark.parametrize("name", ["stellar:pubnet", "stellar:mainnet", "testnet", "", "STELLAR:LOCAL", "x" * 5000])
def test_an_unknown_network_is_refused_with_those_that_are_supported(name: str) -> None:
    both_networks()
    with pytest.raises(UnsupportedNetwork) as refusal:
        chosen_networks(name, ANONYMOUS)
    assert refusal.value.code.name == "UNSUPPORTED_NETWORK"
    assert refusal.value.details == {"network": name[:64], "supported": ["stellar:local", "stellar:testnet"]}


def test_a_network_that_the_key_does_not_name_is_refused_like_an_unknown_one() -> None:
    both_networks()
    with pytest.raises(UnsupportedNetwork) as refusal:
        chosen_networks("stellar:testnet", caller("stellar:local"))
    assert refusal.value.details["supported"] == ["stellar:local"]


def test_a_network_that_is_off_is_refused() -> None:
    make_network("stellar:local")
    make_network("stellar:testnet", enabled=False)
    with pytest.raises(UnsupportedNetwork):
        chosen_networks("stellar:testnet", ANONYMOUS)


def test_an_asset_is_named_by_code_by_code_and_issuer_or_by_contract() -> None:
    asset = make_asset("USDC")
    for reference in ("USDC", f"USDC:{asset.issuer}", asset.contract):
        assert named_assets(reference, [asset.network]) == [asset]


def test_a_code_means_one_asset_on_each_network() -> None:
    local, testnet = both_networks()
    assets = [make_asset("USDC", network=local), make_asset("USDC", network=testnet)]
    assert named_assets("USDC", [local, testnet]) == assets
    assert named_assets("USDC", [testnet]) == assets[1:]


def test_a_code_of_two_assets_of_one_network_lists_both() -> None:
    local, testnet = both_networks()
    first, second = make_asset("USDC", network=local), make_asset("USDC", network=local)
    make_asset("USDC", network=testnet)
    with pytest.raises(InvalidInput) as refusal:
        named_assets("USDC", [local, testnet])
    assert refusal.value.details["candidates"] == [
        {"network": "stellar:local", "code": "USDC", "issuer": asset.issuer, "contract": asset.contract}
        for asset in (first, second)
    ]
    assert named_assets(f"USDC:{second.issuer}", [local, testnet]) == [second]


def test_lumens_and_a_token_that_calls_itself_xlm_are_told_apart_by_contract() -> None:
    lumens = make_asset(kind="native")
    make_asset("XLM", kind="contract", contract=contract(1))
    with pytest.raises(InvalidInput):
        named_assets("XLM", [lumens.network])
    assert named_assets(lumens.contract, [lumens.network]) == [lumens]


@pytest.mark.parametrize(
    "reference", ["EURC", "usdc", "", "US%", "USDC:", "USDC:GABC", "C" + "A" * 55, "USDC'--", "USDC\0", "x" * 5000]
)
def test_an_unknown_asset_is_refused_with_those_that_are_listed(reference: str) -> None:
    asset = make_asset("USDC")
    with pytest.raises(UnsupportedAsset) as refusal:
        named_assets(reference, [asset.network])
    assert refusal.value.code.name == "UNSUPPORTED_ASSET"
    assert refusal.value.details == {"asset": reference[:80], "supported": ["USDC"]}


def test_an_asset_that_is_not_listed_or_is_elsewhere_is_refused() -> None:
    local, testnet = both_networks()
    make_asset("USDC", network=testnet)
    delisted = make_asset("EURC", network=local)
    Asset.objects.filter(pk=delisted.pk).update(enabled=False)
    for reference in ("USDC", "EURC", delisted.contract):
        with pytest.raises(UnsupportedAsset):
            named_assets(reference, [local])
