from __future__ import annotations

import json
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.test import AsyncClient, Client
from pytest_django import Settings

pytestmark = pytest.mark.urls("tests.core.rest_door")


@pytest.fixture
def client() -> Client:
    return Client(raise_request_exception=False)


def code(response: Any) -> str:
    assert response["Content-Type"] == "application/json"
    return str(json.loads(response.content)["error"]["code"])


@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize("path", ["/api/nothing", "/api/v1/nothing", "/api/v1/things/", "/api/v1//things", "/api/%00"])
def test_an_unknown_path_has_the_one_shape_whatever_debug_says(
    client: Client, settings: Settings, path: str, debug: bool
) -> None:
    settings.DEBUG = debug
    response = client.get(path)
    assert (response.status_code, code(response)) == (404, "RESOURCE_NOT_FOUND")


@pytest.mark.parametrize("debug", [False, True])
def test_a_fault_outside_of_an_operation_has_it_too(client: Client, settings: Settings, debug: bool) -> None:
    settings.DEBUG = debug
    response = client.get("/api/broken")
    assert (response.status_code, code(response)) == (500, "INTERNAL_ERROR")
    assert b"secret" not in response.content


@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize("path", ["/api/v1/things", "/healthz", "/readyz"])
def test_a_host_that_is_not_ours_is_a_bad_request(client: Client, settings: Settings, path: str, debug: bool) -> None:
    settings.DEBUG = debug
    response = client.get(path, headers={"Host": "evil.example"})
    assert (response.status_code, code(response)) == (400, "BAD_REQUEST")
    assert b"evil" not in response.content


def test_pages_for_people_stay_pages(client: Client) -> None:
    assert client.get("/page").content == b"<h1>Gone</h1>"
    assert client.get("/apiary").content == b"<h1>Gone</h1>"


def test_health_checks_are_for_programs(client: Client) -> None:
    assert code(client.get("/healthz")) == "RESOURCE_NOT_FOUND"


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE"])
@pytest.mark.parametrize("path", ["/api/v1/orders", "/api/nothing", "/healthz"])
def test_a_body_of_five_megabytes_is_turned_away(client: Client, method: str, path: str) -> None:
    response = client.generic(method, path, b"x" * 5_000_000, "application/json")
    assert (response.status_code, code(response)) == (413, "BODY_TOO_LARGE")
    assert response.json()["error"]["details"] == {"maxBytes": 1_048_576}


def test_a_body_of_the_largest_size_is_read(client: Client) -> None:
    body = json.dumps({"units": 5}).ljust(1_048_576)
    response = client.post("/api/v1/orders", body, content_type="application/json")
    assert (response.status_code, response.json()) == (200, {"units": 5})


@pytest.mark.parametrize("length", ["-1", "many", ""])
def test_a_length_that_is_no_number_breaks_nothing(client: Client, length: str) -> None:
    assert client.generic("GET", "/api/v1/things", CONTENT_LENGTH=length).status_code == 401


@pytest.mark.parametrize(
    ("path", "status", "expected"),
    [("/api/nothing", 404, "RESOURCE_NOT_FOUND"), ("/api/broken", 500, "INTERNAL_ERROR")],
)
def test_the_same_holds_under_asgi(path: str, status: int, expected: str) -> None:
    response = async_to_sync(AsyncClient(raise_request_exception=False).get)(path)
    assert (response.status_code, code(response)) == (status, expected)


def test_five_megabytes_under_asgi() -> None:
    post = async_to_sync(AsyncClient().post)
    response = post("/api/v1/orders", b"x" * 5_000_000, content_type="application/json")
    assert (response.status_code, code(response)) == (413, "BODY_TOO_LARGE")
