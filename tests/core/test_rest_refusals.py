from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from django.test import Client

from lensproject.core.errors import CODES
from tests.core.rest_door import FAULTS

pytestmark = pytest.mark.urls("tests.core.rest_door")


@pytest.fixture
def client() -> Client:
    return Client(raise_request_exception=False)


def error(response: Any) -> dict[str, Any]:
    """The error of an answer in the one shape, whatever the status."""
    assert response["Content-Type"] == "application/json"
    assert response["Cache-Control"] == "no-store"
    body = json.loads(response.content)
    assert list(body) == ["error"]
    assert list(body["error"]) == ["code", "message", "retryable", "details"]
    code = CODES[body["error"]["code"]]
    assert (response.status_code, body["error"]["retryable"]) == (code.status, code.retryable)
    found: dict[str, Any] = body["error"]
    return found


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("refusal", "RATE_LIMITED"),
        ("not-found", "RESOURCE_NOT_FOUND"),
        ("forbidden", "PERMISSION_DENIED"),
        ("suspicious", "BAD_REQUEST"),
        ("database", "UNAVAILABLE"),
        ("interface", "UNAVAILABLE"),
        ("bug", "INTERNAL_ERROR"),
        ("teapot", "BAD_REQUEST"),
        ("gateway", "INTERNAL_ERROR"),
    ],
)
def test_every_exception_of_an_operation_has_the_one_shape(client: Client, name: str, code: str) -> None:
    response = client.get(f"/api/v1/faults/{name}")
    assert error(response)["code"] == code
    assert b"secret" not in response.content
    assert b"10.0.0.5" not in response.content


def test_all_faults_are_looked_at() -> None:
    assert len(FAULTS) == 9


def test_a_refusal_that_may_be_repeated_says_when(client: Client) -> None:
    response = client.get("/api/v1/faults/refusal")
    assert response["Retry-After"] == "7"
    assert error(response)["details"] == {"retryAfter": 7}


def test_a_database_that_is_away_may_be_asked_again(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    response = client.get("/api/v1/faults/database")
    assert response.status_code == 503
    assert response["Retry-After"] == "5"
    assert error(response)["retryable"] is True
    assert "connection to server at 10.0.0.5" in caplog.text


@pytest.mark.parametrize("path", ["/api/v1/faults/bug", "/api/broken"])
def test_a_fault_of_ours_is_in_the_log_under_the_id_that_the_caller_gets(
    client: Client, caplog: pytest.LogCaptureFixture, path: str
) -> None:
    with caplog.at_level(logging.ERROR):
        found = error(client.get(path))
    assert found["message"] == "Something failed on our side."
    assert len(found["details"]["correlationId"]) == 32
    told = [record for record in caplog.records if found["details"]["correlationId"] in str(record.msg)]
    assert any(isinstance(record.msg, dict) and record.msg.get("exc_info") for record in told)
    assert "a secret divisor" in caplog.text


def test_a_body_that_does_not_fit_names_its_fields_and_not_their_values(client: Client) -> None:
    response = client.post("/api/v1/orders", {"units": "hush"}, content_type="application/json")
    found = error(response)
    assert found["code"] == "INVALID_INPUT"
    assert list(found["details"]["fields"]) == ["body.units"]
    assert b"hush" not in response.content


@pytest.mark.parametrize("body", ["", "{", "[1]", '"x"', "null"])
def test_a_body_that_is_no_object_is_refused(client: Client, body: str) -> None:
    response = client.post("/api/v1/orders", body, content_type="application/json")
    assert response.status_code in (400, 422)
    assert error(response)["code"] in ("BAD_REQUEST", "INVALID_INPUT")


def test_a_wrong_method_is_told_which_are_right(client: Client) -> None:
    response = client.delete("/api/v1/orders")
    assert error(response)["code"] == "METHOD_NOT_ALLOWED"
    assert response["Allow"] == "POST"


@pytest.mark.parametrize(
    "kind",
    ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "", "application/jsonp"],
)
def test_a_body_of_another_kind_is_refused(client: Client, kind: str) -> None:
    response = client.generic("POST", "/api/v1/orders", b'{"units": 5}', kind)
    assert (response.status_code, error(response)["code"]) == (415, "UNSUPPORTED_MEDIA_TYPE")


@pytest.mark.parametrize("kind", ["application/json", "application/json; charset=utf-8", "Application/JSON"])
def test_json_is_read_however_it_is_written(client: Client, kind: str) -> None:
    assert client.generic("POST", "/api/v1/orders", b'{"units": 5}', kind).json() == {"units": 5}


@pytest.mark.parametrize(
    "body", [b'{"units": NaN}', b'{"units": Infinity}', b"\xff", b"[" * 100_000, b'{"units": 1, "units": 2}']
)
def test_what_only_some_call_json_is_refused(client: Client, body: bytes) -> None:
    response = client.generic("POST", "/api/v1/orders", body, "application/json")
    assert (response.status_code, error(response)["code"]) == (400, "BAD_REQUEST")
