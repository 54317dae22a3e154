"""The OpenAPI document and its page: what a program can rely on, and that the answers keep to it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from jsonschema import Draft202012Validator

from bazaar.api import networks, resources, schemas
from bazaar.catalog import shapes, supported
from bazaar.markets import listing
from lensproject.api import api, document
from lensproject.core.errors import CODES
from lensproject.environment import ROOT
from lensproject.version import VERSION
from mcp_bridge.changes import topics
from payments.api import schemas as payments_schemas
from payments.budgets import shapes as budget_shapes
from tests.builders import make_agent, make_budget, make_entry, make_key, make_pair, make_policy, make_venue
from tests.servers.processes import child_environment

DOCUMENT: dict[str, Any] = json.loads(document())
OPERATIONS = {path: methods["get"] for path, methods in DOCUMENT["paths"].items()}


def parts(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in the document."""
    if isinstance(value, dict):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from parts(part)


def test_the_document_speaks_of_the_product() -> None:
    assert DOCUMENT["openapi"] == "3.1.0"
    assert DOCUMENT["info"]["title"] == "Lens Bazaar"
    assert DOCUMENT["info"]["version"] == VERSION
    assert DOCUMENT["info"]["license"]["name"] == "Apache-2.0"
    assert DOCUMENT["servers"] == [{"url": "/"}]


def test_every_path_is_read_only_and_under_its_version() -> None:
    assert set(OPERATIONS) == {
        "/api/v1/budget",
        "/api/v1/budgets",
        "/api/v1/budgets/{budgetId}",
        "/api/v1/networks",
        "/api/v1/networks/{network}",
        "/api/v1/pairs",
        "/api/v1/pairs/{pairKey}",
        "/api/v1/resources",
        "/api/v1/resources/{resourceId}",
        "/api/v1/venues",
        "/api/v1/venues/{venueKey}",
    }
    assert all(list(methods) == ["get"] for methods in DOCUMENT["paths"].values())


def test_operations_have_names_of_their_own() -> None:
    names = [operation["operationId"] for operation in OPERATIONS.values()]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z]+[A-Za-z]+", name) for name in names)


@pytest.mark.parametrize("path", OPERATIONS)
def test_every_operation_is_described(path: str) -> None:
    operation = OPERATIONS[path]
    assert operation["summary"]
    assert operation["description"]
    assert operation["tags"]
    assert operation["security"] == [{"BearerKey": []}]
    assert {"200", "304", "401", "403", "422", "500", "503"} <= set(operation["responses"])
    assert ("404" in operation["responses"]) is ("{" in path)
    for parameter in operation["parameters"]:
        assert parameter["in"] in ("query", "path")


def test_keys_are_sent_as_bearer_tokens() -> None:
    assert DOCUMENT["components"]["securitySchemes"] == {
        "BearerKey": {"type": "http", "scheme": "bearer", "description": "An API key, as an operator issued it."}
    }


def test_every_error_has_the_one_shape() -> None:
    for operation in OPERATIONS.values():
        for status, answer in operation["responses"].items():
            if status >= "400":
                assert answer["content"] == {
                    "application/json": {"schema": {"$ref": "#/components/schemas/ErrorShape"}}
                }
    assert set(DOCUMENT["components"]["schemas"]["ErrorBody"]["properties"]) == {
        "code",
        "message",
        "retryable",
        "details",
    }


def test_amounts_are_text_and_never_numbers() -> None:
    assert not [part for part in parts(DOCUMENT) if part.get("type") == "number"]
    money = re.compile(r"amount|spent|held|remaining|limit", re.IGNORECASE)
    for name, schema in DOCUMENT["components"]["schemas"].items():
        for field, described in schema.get("properties", {}).items():
            if money.search(field) and "$ref" not in described and described.get("type") != "array":
                kinds = {described.get("type"), *(option["type"] for option in described.get("anyOf", ()))}
                assert kinds - {None} <= {"string", "null"}, f"{name}.{field}"


def test_each_reference_leads_somewhere() -> None:
    references = {part["$ref"] for part in parts(DOCUMENT) if "$ref" in part}
    assert references == {f"#/components/schemas/{name}" for name in DOCUMENT["components"]["schemas"]}


@pytest.mark.parametrize(
    ("schema", "shape"),
    [
        (schemas.Price, shapes.Price),
        (schemas.SellerItem, shapes.SellerItem),
        (schemas.SellerDetail, shapes.SellerDetail),
        (schemas.Resource, shapes.ResourceItem),
        (schemas.ResourceDetail, shapes.ResourceDetail),
        (schemas.PaymentRequirements, shapes.PaymentRequirements),
        (schemas.Inspection, shapes.Inspection),
        (schemas.AssetDetail, supported.AssetDetail),
        (schemas.NetworkItem, supported.SupportedNetwork),
        (schemas.PairItem, listing.PairItem),
        (schemas.VenueItem, listing.VenueItem),
        (payments_schemas.AgentItem, budget_shapes.AgentItem),
        (payments_schemas.AllowedAsset, budget_shapes.AllowedAsset),
        (payments_schemas.LimitItem, budget_shapes.LimitItem),
        (payments_schemas.BudgetItem, budget_shapes.BudgetItem),
    ],
)
def test_the_schemas_have_the_fields_of_what_is_sent(schema: Any, shape: Any) -> None:
    assert set(schema.model_fields) == set(shape.__annotations__)


@pytest.mark.django_db
def test_answers_keep_to_their_schemas(client: Client) -> None:
    agent = make_agent()
    _, token = make_key(agent=agent)
    entry, pair, venue, budget = make_entry(), make_pair(), make_venue(), make_budget(agent=agent)
    make_policy(agent, assets=[budget.asset])
    filled = {
        "{budgetId}": budget.public_id,
        "{network}": "stellar:local",
        "{pairKey}": quote(pair.key, safe=""),
        "{resourceId}": entry.public_id,
        "{venueKey}": venue.key,
    }
    for path, operation in OPERATIONS.items():
        url = re.sub(r"\{\w+\}", lambda match: filled[match[0]], path)
        response = client.get(url, headers={"Authorization": f"Bearer {token}"})
        assert response.status_code == 200, url
        schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
        Draft202012Validator({**schema, "components": DOCUMENT["components"]}).validate(response.json())


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "status"), [("/api/v1/pairs", 401), ("/api/nothing", 404), ("/api/openapi.json/x", 404), ("/api/", 404)]
)
def test_errors_keep_to_their_schema(client: Client, path: str, status: int) -> None:
    response = client.get(path)
    assert response.status_code == status
    schema = {"$ref": "#/components/schemas/ErrorShape", "components": DOCUMENT["components"]}
    Draft202012Validator(schema).validate(response.json())
    assert response.json()["error"]["code"] in CODES


def test_the_document_is_served_as_it_is_exported(client: Client) -> None:
    response = client.get("/api/openapi.json")
    assert response.content == document() == (ROOT / "openapi.json").read_bytes()
    assert response["Content-Type"] == "application/json"
    again = client.get("/api/openapi.json", headers={"If-None-Match": response["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_the_document_is_the_same_in_every_process() -> None:
    script = "import django; django.setup(); from lensproject.api import document; print(document().decode(), end='')"
    for seed in ("1", "2"):
        environment = child_environment(PYTHONHASHSEED=seed, DJANGO_SETTINGS_MODULE="tests.settings")
        found = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, cwd=ROOT, env=environment, check=True
        )
        assert found.stdout == document()


def test_the_topics_that_answers_rest_on_are_tracked() -> None:
    assert {*resources.TOPICS, *networks.TOPICS, "payments.keys"} <= set(topics())


def test_the_page_of_the_document_keeps_to_the_policy_of_contents(client: Client) -> None:
    response = client.get("/api/docs")
    page = response.content.decode()
    assert response.status_code == 200
    assert "default-src 'self'" in response["Content-Security-Policy"]
    assert "unsafe" not in response["Content-Security-Policy"]
    for attributes, body in re.findall(r"<script([^>]*)>(.*?)</script>", page, re.DOTALL):
        assert 'type="application/json"' in attributes or not body.strip(), "an inline script"
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=", page)
    assert json.loads(re.findall(r'id="swagger-settings">(.*?)</script>', page, re.DOTALL)[0])["url"] == (
        "/api/openapi.json"
    )


def test_the_page_asks_no_other_host(client: Client) -> None:
    page = client.get("/api/docs").content.decode()
    sources = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert len(sources) >= 3
    for source in sources:
        assert source.startswith("/static/ninja/")
        assert finders.find(source.removeprefix("/static/")) is not None


def test_the_api_is_the_one_that_is_routed() -> None:
    assert api.urls_namespace == "api"
