"""The names, inputs, outputs and shapes that clients of LumenBazaar and of Lens know. They are kept for ever."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lensproject.core.callers import Caller
from lensproject.core.errors import CODES
from payments.authentication.verify import caller_of
from tests.builders import (
    make_agent,
    make_asset,
    make_budget,
    make_budget_window,
    make_entry,
    make_key,
    make_network,
    make_pair,
    make_policy,
    make_venue,
)
from tests.mcp_product.memory import call, listed, read, reader, refused, tools

pytestmark = pytest.mark.django_db

INPUTS: dict[str, dict[str, Any]] = {
    "search_paid_resources": {"query": "string", "network": "stellar:testnet", "asset": "USDC", "limit": 10},
    "inspect_resource": {"resourceId": "resource_123"},
    "inspect_budget": {},
    "list_supported_networks": {},
}
CODES_OF_THE_REFERENCE = (
    "PAYMENT_REQUIRED",
    "UNSUPPORTED_NETWORK",
    "UNSUPPORTED_ASSET",
    "INVALID_PAYMENT_PAYLOAD",
    "INVALID_SIGNATURE",
    "AUTH_EXPIRED",
    "REPLAY_DETECTED",
    "AMOUNT_MISMATCH",
    "ASSET_MISMATCH",
    "RECIPIENT_MISMATCH",
    "SETTLEMENT_FAILED",
    "TRUSTLINE_REQUIRED",
    "RESOURCE_NOT_FOUND",
    "CATALOG_VALIDATION_FAILED",
    "ROUTE_TEMPLATE_INVALID",
    "SELLER_DOMAIN_UNVERIFIED",
    "RATE_LIMITED",
    "INTERNAL_ERROR",
)


def agent_on_testnet() -> Caller:
    """A key of an agent with the budget of the reference: 0.10 a call, 5.00 a day, 0.25 of it spent."""
    network = make_network("stellar:testnet")
    dollars = make_asset("USDC", network=network)
    agent = make_agent(default_asset=dollars)
    make_policy(agent, assets=[dollars]).assets.update(per_call_maximum=1_000_000)
    budget = make_budget(agent=agent, asset=dollars)
    make_budget_window(budget, spent=2_500_000)
    make_entry(title="A string", asset=dollars)
    key, _ = make_key(agent=agent, networks=[network])
    return caller_of(key)


def test_the_tools_of_the_reference_are_there_under_their_names() -> None:
    assert set(tools(reader())) >= set(INPUTS)


@pytest.mark.parametrize("tool", INPUTS)
def test_the_inputs_of_the_reference_are_taken(tool: str) -> None:
    schema = tools(reader())[tool].input_schema
    assert set(schema.get("properties", {})) >= set(INPUTS[tool])
    assert set(schema.get("required", [])) <= set(INPUTS[tool])
    assert schema["additionalProperties"] is False


def test_searching_answers_the_keys_of_the_reference() -> None:
    answer = call(agent_on_testnet(), "search_paid_resources", **INPUTS["search_paid_resources"])
    assert [resource["title"] for resource in answer["resources"]] == ["A string"]
    assert {**answer, "resources": []} == {"resources": [], "partialResults": False, "nextCursor": None}


def test_inspecting_answers_the_keys_of_the_reference() -> None:
    caller = agent_on_testnet()
    (found,) = call(caller, "search_paid_resources", query="")["resources"]
    answer = call(caller, "inspect_resource", resourceId=found["id"])
    for key in ("resource", "paymentRequirements", "inputSchema", "outputSchema"):
        assert isinstance(answer[key], dict)
    assert refused(caller, "inspect_resource", **INPUTS["inspect_resource"])["code"] == "RESOURCE_NOT_FOUND"


def test_a_budget_answers_the_numbers_of_the_reference() -> None:
    budget = call(agent_on_testnet(), "inspect_budget")["budget"]
    expected = {
        "perCallMaxAmount": "0.10",
        "dailyMaxAmount": "5.00",
        "remainingToday": "4.75",
        "allowedNetworks": ["stellar:testnet"],
        "allowedAssets": ["USDC"],
    }
    assert {key: budget[key] for key in expected} == expected


def test_networks_answer_the_example_of_the_reference() -> None:
    (network,) = call(agent_on_testnet(), "list_supported_networks")["networks"]
    expected = {"id": "stellar:testnet", "assets": ["USDC"], "schemes": ["exact"]}
    assert {key: network[key] for key in expected} == expected


def test_an_error_has_the_shape_of_the_reference() -> None:
    error = refused(agent_on_testnet(), "search_paid_resources", query="", network="stellar:mainnet")
    assert (error["code"], error["retryable"]) == ("UNSUPPORTED_NETWORK", False)
    assert isinstance(error["message"], str)
    assert isinstance(error["details"], dict)


@pytest.mark.parametrize("code", CODES_OF_THE_REFERENCE)
def test_the_codes_of_the_reference_are_declared(code: str) -> None:
    assert CODES[code].meaning


def test_the_resources_of_lens_are_there_with_their_type() -> None:
    resources = listed(reader())
    uris = ("lens://pairs", "lens://venues", "lens://openapi.json", "lens://status")
    assert [resources[uri].mime_type for uri in uris] == ["application/json"] * 4


def test_pairs_have_the_shape_that_clients_of_lens_know() -> None:
    pair = make_pair(asset_a=make_asset(kind="native"), asset_b=make_asset("USDC"))
    text, _ = read(reader(), "lens://pairs")
    name = pair.asset_b.canonical
    assert json.loads(text) == {
        "network": "stellar:local",
        "pairs": [{"pairKey": f"XLM/{name}", "assetA": "XLM", "assetB": name}],
    }


def test_venues_have_the_shape_that_clients_of_lens_know() -> None:
    make_venue(key="sdex", source="https://horizon.example", enabled=False)
    text, _ = read(reader(), "lens://venues")
    assert json.loads(text) == {
        "network": "stellar:local",
        "venues": [{"key": "sdex", "source": "https://horizon.example", "enabled": False}],
    }
