from __future__ import annotations

import pytest
from jsonschema import Draft202012Validator

from lensproject.core.callers import ANONYMOUS
from tests.builders import make_asset, make_network
from tests.mcp_product.memory import call, reader, refused, tools

pytestmark = pytest.mark.django_db
NAME = "list_supported_networks"


def test_networks_of_the_key_with_codes_schemes_and_details() -> None:
    local, testnet = make_network("stellar:local"), make_network("stellar:testnet")
    make_asset("USDC", network=testnet)
    make_asset("EURC", network=testnet)
    make_asset("USDC", network=local)
    networks = call(reader("stellar:testnet"), NAME)["networks"]
    assert [(network["id"], network["assets"], network["schemes"]) for network in networks] == [
        ("stellar:testnet", ["EURC", "USDC"], ["exact"])
    ]
    assert [detail["code"] for detail in networks[0]["assetDetails"]] == ["EURC", "USDC"]
    assert [network["id"] for network in call(reader("stellar:local", "stellar:testnet"), NAME)["networks"]] == [
        "stellar:local",
        "stellar:testnet",
    ]


def test_without_any_network_the_list_is_empty() -> None:
    assert call(reader(), NAME) == {"networks": []}


def test_the_answer_fits_the_schema_that_is_announced() -> None:
    make_asset(kind="native")
    schema = tools(reader())[NAME].output_schema
    assert schema is not None
    Draft202012Validator(schema).validate(call(reader(), NAME))


def test_no_argument_is_taken() -> None:
    error = refused(reader(), NAME, network="stellar:local")
    assert (error["code"], list(error["details"]["fields"])) == ("INVALID_INPUT", ["network"])


def test_it_needs_the_scope_read() -> None:
    assert refused(reader(scopes=("pay",)), NAME)["code"] == "PERMISSION_DENIED"
    assert refused(ANONYMOUS, NAME)["code"] == "UNAUTHENTICATED"
