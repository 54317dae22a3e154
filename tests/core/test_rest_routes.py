from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from lensproject.core.rest import keys
from tests.core.rest_door import api, verify

pytestmark = pytest.mark.urls("tests.core.rest_door")
READER = {"Authorization": "Bearer reader"}


@pytest.fixture(autouse=True)
def door_keys() -> Iterator[None]:
    before = list(keys._seam)
    keys.verify_with(verify, topic="test.keys")
    yield
    keys._seam[:] = before


def document() -> dict[str, Any]:
    return dict(api.get_openapi_schema(path_prefix="api/v1/"))


def test_a_view_gets_its_parameters_and_who_asks(client: Client) -> None:
    response = client.get("/api/v1/things?limit=3&cursor=x", headers=READER)
    assert response.json() == {"subject": "reader", "limit": 3, "cursor": "x"}
    assert response["ETag"].startswith('"sha256:')


def test_parameters_have_defaults(client: Client) -> None:
    assert client.get("/api/v1/things", headers=READER).json() == {"subject": "reader", "limit": 20, "cursor": None}


def test_head_has_the_headers_of_get(client: Client) -> None:
    get, head = client.get("/api/v1/things", headers=READER), client.head("/api/v1/things", headers=READER)
    assert (head.status_code, head["ETag"], head.content) == (200, get["ETag"], b"")


@pytest.mark.parametrize("limit", ["0", "-1", "101", "10000", "many", "", "1.5", "9" * 400])
def test_a_limit_out_of_range_is_refused(client: Client, limit: str) -> None:
    response = client.get("/api/v1/things", {"limit": limit}, headers=READER)
    assert response.status_code == 422
    assert list(response.json()["error"]["details"]["fields"]) == ["limit"]


@pytest.mark.parametrize("limit", ["1", "100"])
def test_the_ends_of_the_range_are_within(client: Client, limit: str) -> None:
    assert client.get("/api/v1/things", {"limit": limit}, headers=READER).json()["limit"] == int(limit)


def test_a_parameter_that_is_not_there_is_refused(client: Client) -> None:
    response = client.get("/api/v1/things?limt=3&Cursor=x", headers=READER)
    assert response.status_code == 422
    assert response.json()["error"]["details"] == {
        "fields": {"Cursor": "No such parameter.", "limt": "No such parameter."}
    }


def test_the_key_is_looked_at_before_the_parameters(client: Client) -> None:
    assert client.get("/api/v1/things?limt=3").status_code == 401


def test_a_challenge_says_what_is_needed(client: Client) -> None:
    response = client.get("/api/v1/things")
    assert (response.status_code, response["WWW-Authenticate"]) == (401, 'Bearer realm="lens-bazaar", scope="read"')


def test_a_challenge_says_that_the_key_is_wrong(client: Client) -> None:
    response = client.get("/api/v1/things", headers={"Authorization": "Bearer nobody"})
    assert response.status_code == 401
    assert response["WWW-Authenticate"] == 'Bearer realm="lens-bazaar", scope="read", error="invalid_token"'


def test_a_challenge_says_that_the_scope_is_missing(client: Client) -> None:
    response = client.get("/api/v1/things", headers={"Authorization": "Bearer payer"})
    assert (response.status_code, response.json()["error"]["code"]) == (403, "PERMISSION_DENIED")
    assert response["WWW-Authenticate"] == 'Bearer realm="lens-bazaar", scope="read", error="insufficient_scope"'


def test_the_document_has_every_answer() -> None:
    operation = document()["paths"]["/api/v1/things"]["get"]
    assert operation["operationId"] == "listThings"
    assert operation["summary"] == "Things"
    assert operation["description"] == "All things."
    assert set(operation["responses"]) == {200, 304, 401, 403, 404, 422, 500, 503}
    assert set(operation["responses"][200]["headers"]) == {"ETag", "Last-Modified"}
    for status, answer in operation["responses"].items():
        if status >= 400:
            schema = answer["content"]["application/json"]["schema"]
            assert schema == {"$ref": "#/components/schemas/ErrorShape"}
            assert answer["description"].endswith((".", "`."))


def test_the_document_has_get_alone() -> None:
    assert set(document()["paths"]["/api/v1/things"]) == {"get"}
