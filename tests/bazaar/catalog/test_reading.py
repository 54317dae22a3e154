from __future__ import annotations

from datetime import UTC, datetime

import pytest
from pytest_django import DjangoAssertNumQueries

from bazaar.catalog.reading import inspect, listed, resource_items
from bazaar.models import CatalogEntry, Network, Seller
from lensproject.core.errors import NotFound
from tests.builders import make_asset, make_entry, make_network, make_option, make_seller

pytestmark = pytest.mark.django_db


def shown(*networks: Network) -> list[CatalogEntry]:
    return list(listed(networks or [make_network()]))


def test_a_search_shows_an_entry_with_its_seller_and_prices() -> None:
    asset = make_asset("USDC")
    entry = make_entry(
        title="Weather", origin="https://api.weather.example", tags=["weather", "city"], asset=asset, category="data"
    )
    assert resource_items([entry], [asset.network]) == [
        {
            "id": entry.public_id,
            "kind": "http",
            "method": "GET",
            "url": "https://api.weather.example/weather/:city",
            "tool": None,
            "title": "Weather",
            "description": "Current weather of a city.",
            "tags": ["weather", "city"],
            "category": "data",
            "serviceName": None,
            "iconUrl": None,
            "seller": {
                "id": entry.seller.public_id,
                "name": entry.seller.name,
                "domain": entry.seller.domain,
                "domainVerified": False,
            },
            "prices": [
                {
                    "scheme": "exact",
                    "network": "stellar:local",
                    "asset": "USDC",
                    "issuer": asset.issuer,
                    "contract": asset.contract,
                    "amount": "0.50",
                }
            ],
        }
    ]


def test_an_mcp_tool_has_a_tool_and_no_method() -> None:
    entry = make_entry(kind="mcp", method="", tool="get_weather", route="/mcp")
    (item,) = resource_items([entry], [make_network()])
    assert (item["kind"], item["method"], item["tool"]) == ("mcp", None, "get_weather")


def test_an_inspection_adds_terms_schemas_and_the_parts_of_the_url() -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}}
    entry = make_entry(input_schema=schema, output_schema={"type": "object"}, example={"city": "Rome"})
    option = entry.options.get()
    found = inspect(entry.public_id, [make_network()])
    requirements = {
        "scheme": "exact",
        "network": "stellar:local",
        "amount": "5000000",
        "asset": option.asset.contract,
        "payTo": option.pay_to,
        "maxTimeoutSeconds": 60,
    }
    (item,) = resource_items([entry], [make_network()])
    assert found == {
        "resource": {
            **item,
            "origin": entry.origin,
            "route": "/weather/:city",
            "pathParameters": ["city"],
            "example": {"city": "Rome"},
            "provenance": "operator",
        },
        "x402Version": 2,
        "paymentRequirements": requirements,
        "accepts": [requirements],
        "inputSchema": schema,
        "outputSchema": {"type": "object"},
        "seller": {**item["seller"], "domainVerifiedAt": None},
    }


def test_extra_is_passed_on_as_it_is_and_left_out_when_empty() -> None:
    entry = make_entry(priced=False)
    make_option(entry=entry, extra={"areFeesSponsored": True})
    assert inspect(entry.public_id, [make_network()])["paymentRequirements"]["extra"] == {"areFeesSponsored": True}


def test_a_proved_domain_is_told_with_the_time() -> None:
    entry = make_entry()
    Seller.objects.update(domain_verified_at=datetime(2026, 11, 30, 12, tzinfo=UTC))
    seller = inspect(entry.public_id, [make_network()])["seller"]
    assert (seller["domainVerified"], seller["domainVerifiedAt"]) == (True, "2026-11-30T12:00:00.000Z")


def test_the_best_way_to_pay_is_on_the_default_network_and_the_cheapest_of_its_asset() -> None:
    local, testnet = make_network("stellar:local"), make_network("stellar:testnet")
    dollars, euros = make_asset("USDC", network=local), make_asset("EURC", network=local)
    entry = make_entry(priced=False)
    make_option(entry=entry, asset=make_asset("AAAA", network=testnet), amount=1)
    make_option(entry=entry, asset=dollars, amount=1)
    make_option(entry=entry, asset=euros, amount=900)
    make_option(entry=entry, asset=euros, amount=300)
    found = inspect(entry.public_id, [local, testnet])
    assert [(a["network"], a["amount"]) for a in found["accepts"]] == [
        ("stellar:local", "300"),
        ("stellar:local", "900"),
        ("stellar:local", "1"),
        ("stellar:testnet", "1"),
    ]
    assert found["paymentRequirements"] == found["accepts"][0]


@pytest.mark.parametrize(
    "change", [{"state": "draft"}, {"state": "paused"}, {"state": "delisted", "state_reason": "gone"}]
)
def test_only_listed_entries_are_shown(change: dict[str, str]) -> None:
    entry = make_entry()
    assert shown() == [entry]
    CatalogEntry.objects.update(**change)
    assert shown() == []
    with pytest.raises(NotFound):
        inspect(entry.public_id, [make_network()])


@pytest.mark.parametrize("state", ["paused", "closed"])
def test_entries_of_a_seller_that_is_not_active_are_not_shown(state: str) -> None:
    entry = make_entry(seller=make_seller(state=state))
    assert shown() == []
    with pytest.raises(NotFound):
        inspect(entry.public_id, [make_network()])


def test_an_entry_that_nobody_can_pay_is_not_shown() -> None:
    entry = make_entry(priced=False)
    option = make_option(entry=entry)
    assert shown() == [entry]
    type(option.asset).objects.update(enabled=False)
    assert shown() == []
    with pytest.raises(NotFound):
        inspect(entry.public_id, [make_network()])


def test_a_network_that_is_off_takes_its_prices_with_it() -> None:
    local, testnet = make_network("stellar:local"), make_network("stellar:testnet")
    entry = make_entry(asset=make_asset(network=local))
    make_option(entry=entry, asset=make_asset(network=testnet))
    Network.objects.filter(pk=testnet.pk).update(enabled=False)
    (item,) = resource_items(shown(local, testnet), [local, testnet])
    assert [price["network"] for price in item["prices"]] == ["stellar:local"]


def test_only_the_networks_of_the_caller_are_shown() -> None:
    local, testnet = make_network("stellar:local"), make_network("stellar:testnet")
    entry = make_entry(asset=make_asset(network=testnet))
    assert shown(local) == []
    assert shown(testnet) == [entry]
    assert list(listed([])) == []
    with pytest.raises(NotFound):
        inspect(entry.public_id, [local])


@pytest.mark.parametrize(
    "resource_id", ["resource_123", "", "resource_" + "0" * 32, "'; --", "x\0y", "é" * 40, "x" * 9000]
)
def test_an_unknown_id_is_not_found_and_repeated_in_short(resource_id: str) -> None:
    make_entry()
    with pytest.raises(NotFound) as refusal:
        inspect(resource_id, [make_network()])
    assert refusal.value.code.name == "RESOURCE_NOT_FOUND"
    assert refusal.value.details == {"resourceId": resource_id[:64]}


def test_the_number_of_queries_does_not_grow_with_the_entries(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    for _ in range(4):
        make_entry()
    network = make_network()
    with django_assert_num_queries(2):  # the entries with their sellers, the options with assets and networks
        assert len(resource_items(list(listed([network])), [network])) == 4
