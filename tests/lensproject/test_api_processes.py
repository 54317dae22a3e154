"""The REST door of real servers: what only a socket shows."""

from __future__ import annotations

import http.client
import json
import socket
from pathlib import Path
from typing import Any

import pytest

from lensproject.environment import ROOT
from tests.builders import make_key, make_pair
from tests.databases import Database
from tests.servers.fixtures import StartWebServer
from tests.servers.postgres import PostgresServer
from tests.servers.processes import wait_until
from tests.servers.web import KINDS, WebServer, serving


def ask(
    server: WebServer, path: str, *, method: str = "GET", body: bytes | None = None, **headers: str
) -> tuple[http.client.HTTPResponse, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    try:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body=body, headers=sent)
        response = connection.getresponse()
        return response, response.read()
    finally:
        connection.close()


def code(answer: tuple[http.client.HTTPResponse, bytes]) -> tuple[int, str]:
    response, body = answer
    assert response.getheader("Content-Type") == "application/json"
    error: dict[str, Any] = json.loads(body)["error"]
    assert list(error) == ["code", "message", "retryable", "details"]
    return response.status, error["code"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_api_over_a_socket(cloned_database: Database, start_web_server: StartWebServer, kind: str) -> None:
    pair = make_pair()
    _, token = make_key(networks=[pair.network])
    # The test's own pepper signs its keys; a server gets the same one.
    server = start_web_server(kind, {"LENS_KEY_PEPPERS": f"test:{'5e' * 32}"})
    key = f"Bearer {token}"

    response, body = ask(server, "/api/v1/pairs", Authorization=key)
    assert response.status == 200
    assert [item["pairKey"] for item in json.loads(body)["pairs"]] == [pair.key]
    etag = response.getheader("ETag") or ""

    again, nothing = ask(server, "/api/v1/pairs", Authorization=key, If_None_Match=etag)
    assert (again.status, nothing, again.getheader("ETag")) == (304, b"", etag)

    head, nothing = ask(server, "/api/v1/pairs", method="HEAD", Authorization=key)
    assert (head.status, nothing, head.getheader("ETag")) == (200, b"", etag)
    assert head.getheader("Content-Length") == str(len(body))

    encoded = pair.key.replace("/", "%2F").replace(":", "%3A")
    response, body = ask(server, f"/api/v1/pairs/{encoded}", Authorization=key)
    assert json.loads(body)["pairKey"] == pair.key

    assert code(ask(server, "/api/v1/pairs")) == (401, "UNAUTHENTICATED")
    assert code(ask(server, "/api/v1/pairs", Authorization="Bearer nobody")) == (401, "UNAUTHENTICATED")
    assert code(ask(server, "/api/v1/pairs?limit=0", Authorization=key)) == (422, "INVALID_INPUT")
    assert code(ask(server, "/api/v1/pairs?limit=10000", Authorization=key)) == (422, "INVALID_INPUT")
    assert code(ask(server, "/api/v1/pairs?cursor=x", Authorization=key)) == (422, "INVALID_INPUT")
    assert code(ask(server, "/api/nothing")) == (404, "RESOURCE_NOT_FOUND")
    assert code(ask(server, "/api/v1/pairs", method="POST", body=b"{}")) == (405, "METHOD_NOT_ALLOWED")
    assert code(ask(server, "/api/v1/pairs", Host="evil.example")) == (400, "BAD_REQUEST")
    large = ask(server, "/api/v1/pairs", method="POST", body=b"x" * 5_000_000)
    assert code(large) == (413, "BODY_TOO_LARGE")

    response, body = ask(server, "/api/openapi.json")
    assert body == (ROOT / "openapi.json").read_bytes()
    assert ask(server, "/readyz")[0].status == 200


@pytest.mark.parametrize("kind", KINDS)
def test_a_request_that_is_no_http_has_no_traceback(start_web_server: StartWebServer, kind: str) -> None:
    server = start_web_server(kind)
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as client:
        client.sendall(b"GET /api/v1/%zz%00 HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: many\r\n\r\n")
        answer = client.recv(65_536)
    assert answer.startswith(b"HTTP/1.1 4")
    assert b"Traceback" not in answer
    assert ask(server, "/healthz")[0].status == 200


def database_of(server: WebServer) -> str:
    """What /readyz says of the database; its migrations do not matter here."""
    return str(json.loads(ask(server, "/readyz")[1])["checks"]["database"])


def test_a_database_that_goes_away_and_comes_back(postgres_server: PostgresServer, tmp_path: Path) -> None:
    """Meanwhile the answer is 503, in the one shape; afterwards the database is found without a restart."""
    with serving("daphne", database_url=postgres_server.url("postgres"), var=tmp_path) as server:
        assert database_of(server) == "answers"
        postgres_server.stop()
        answer = ask(server, "/api/v1/networks", Authorization=f"Bearer lens_{'a' * 16}_{'0' * 64}")
        assert code(answer) == (503, "UNAVAILABLE")
        assert answer[0].getheader("Retry-After") == "5"
        assert database_of(server) == "does not answer"
        assert ask(server, "/healthz")[0].status == 200
        postgres_server.start()
        wait_until(
            lambda: database_of(server) == "answers", process=server.process, log=server.log, what="the platform"
        )


def test_reading_without_a_key_where_the_setting_opens_it(
    cloned_database: Database, start_web_server: StartWebServer
) -> None:
    pair = make_pair()
    server = start_web_server("uvicorn", {"LENS_ANONYMOUS_READING": "true"})
    _, body = ask(server, "/api/v1/pairs")
    assert [item["pairKey"] for item in json.loads(body)["pairs"]] == [pair.key]
    for path in ("venues", "networks", "resources"):
        assert ask(server, f"/api/v1/{path}")[0].status == 200
    assert code(ask(server, "/api/v1/pairs", Authorization="Bearer nobody")) == (401, "UNAUTHENTICATED")
    assert code(ask(server, "/api/v1/budgets")) == (401, "UNAUTHENTICATED")
