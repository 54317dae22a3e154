from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from bazaar.models import CatalogEntry
from lensproject.core.callers import ANONYMOUS
from tests.builders import make_asset, make_entry, make_network, make_option
from tests.mcp_product.memory import call, reader, refused, tools

pytestmark = pytest.mark.django_db
NAME = "inspect_resource"


def test_the_first_way_to_pay_is_the_requirements_and_all_are_beside() -> None:
    entry = make_entry(priced=False, input_schema={"type": "object"})
    dear, cheap = (make_option(entry=entry, asset=make_asset("USDC"), amount=amount) for amount in (300, 200))
    answer = call(reader(), NAME, resourceId=entry.public_id)
    assert answer["paymentRequirements"] == {
        "scheme": "exact",
        "network": "stellar:local",
        "amount": "200",
        "asset": cheap.asset.contract,
        "payTo": cheap.pay_to,
        "maxTimeoutSeconds": 60,
    }
    assert [terms["payTo"] for terms in answer["accepts"]] == [cheap.pay_to, dear.pay_to]
    assert (answer["x402Version"], answer["inputSchema"], answer["outputSchema"]) == (2, {"type": "object"}, {})


def test_the_answer_fits_the_schema_that_is_announced() -> None:
    entry = make_entry(example=[1, "two", None])
    answer = call(reader(), NAME, resourceId=entry.public_id)
    schema = tools(reader())[NAME].output_schema
    assert schema is not None
    Draft202012Validator(schema).validate(answer)
    error = {"error": refused(reader(), NAME, resourceId="resource_1")}
    Draft202012Validator(schema).validate(error)
    assert not Draft202012Validator(schema).is_valid({**answer, "accepts": [{}]})


@pytest.mark.parametrize("resource_id", ["resource_123", "", "../etc", "é", "x" * 5000])
def test_an_unknown_id_is_not_found(resource_id: str) -> None:
    make_entry()
    error = refused(reader(), NAME, resourceId=resource_id)
    assert (error["code"], error["retryable"]) == ("RESOURCE_NOT_FOUND", False)
    assert error["details"] == {"resourceId": resource_id[:64]}


@pytest.mark.parametrize("state", ["draft", "paused"])
def test_what_is_not_listed_is_not_found(state: str) -> None:
    entry = make_entry()
    call(reader(), NAME, resourceId=entry.public_id)
    CatalogEntry.objects.update(state=state)
    assert refused(reader(), NAME, resourceId=entry.public_id)["code"] == "RESOURCE_NOT_FOUND"


def test_what_is_sold_on_other_networks_only_is_not_found() -> None:
    entry = make_entry(asset=make_asset(network=make_network("stellar:testnet")))
    assert refused(reader("stellar:local"), NAME, resourceId=entry.public_id)["code"] == "RESOURCE_NOT_FOUND"


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({}, "resourceId"),
        ({"resourceId": 1}, "resourceId"),
        ({"resourceId": None}, "resourceId"),
        ({"resourceId": "x", "id": "y"}, "id"),
        ({"resource_id": "x"}, "resource_id"),
        ({"resourceId": "a\0b"}, "resourceId"),
    ],
)
def test_input_that_does_not_fit_is_refused_and_named(arguments: dict[str, Any], field: str) -> None:
    error = refused(reader(), NAME, **arguments)
    assert error["code"] == "INVALID_INPUT"
    assert field in error["details"]["fields"]


def test_it_needs_the_scope_read() -> None:
    entry = make_entry()
    assert refused(reader(scopes=("pay",)), NAME, resourceId=entry.public_id)["code"] == "PERMISSION_DENIED"
    assert refused(ANONYMOUS, NAME, resourceId=entry.public_id)["code"] == "UNAUTHENTICATED"


def test_it_says_truly_that_it_only_reads() -> None:
    annotations = tools(reader())[NAME].annotations
    assert annotations is not None
    assert (annotations.read_only_hint, annotations.open_world_hint) == (True, False)
