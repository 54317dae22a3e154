from __future__ import annotations

import json

import pytest
from django.db import connection
from django.test import Client
from pydantic import SecretStr
from pytest_django import Settings

from lensproject import health
from lensproject.core.triggers import declared, remove
from lensproject.environment import Environment
from lensproject.version import VERSION
from tests.builders import make_key
from tests.servers.redis import RedisServer


def test_the_process_is_up(client: Client) -> None:
    response = client.get("/healthz")
    assert (response.status_code, response.json()) == (200, {"status": "ok", "version": VERSION})


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/api/openapi.json"])
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_who_may_only_read_hears_so(path: str, method: str) -> None:
    """And not that a token against forged forms is missing, which has nothing to do with it."""
    response = Client(enforce_csrf_checks=True).generic(method, path)
    assert (response.status_code, response["Allow"]) == (405, "GET, HEAD")
    assert response.json()["error"]["code"] == "METHOD_NOT_ALLOWED"


def test_the_process_is_up_without_its_database(client: Client, no_database: None) -> None:
    assert client.get("/healthz").status_code == 200


@pytest.mark.django_db
def test_ready(client: Client) -> None:
    response = client.get("/readyz")
    assert response.json() == {
        "status": "ready",
        "checks": {"database": "answers", "migrations": "all applied", "triggers": "all in place"},
    }
    assert (response.status_code, response["Cache-Control"]) == (200, "no-store")


def test_not_ready_without_its_database(client: Client, no_database: None, caplog: pytest.LogCaptureFixture) -> None:
    response = client.get("/readyz")
    assert response.status_code == 503
    assert response.json() == {"status": "not ready", "checks": {"database": "does not answer"}}
    assert b"gone" not in response.content
    assert "OperationalError" in caplog.text


def test_the_api_says_that_its_database_is_away(client: Client, no_database: None) -> None:
    response = client.get("/api/v1/pairs", headers={"Authorization": f"Bearer lens_{'a' * 16}_{'0' * 64}"})
    assert response.status_code == 503
    assert response.json()["error"] == {
        "code": "UNAVAILABLE",
        "message": "The database does not answer at the moment.",
        "retryable": True,
        "details": {"retryAfter": 5},
    }
    assert response["Retry-After"] == "5"


@pytest.mark.django_db
def test_not_ready_while_a_migration_is_missing(client: Client) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'bazaar'")
    response = client.get("/readyz")
    assert response.status_code == 503
    assert response.json()["checks"]["migrations"].endswith("not applied")


@pytest.mark.django_db
def test_not_ready_while_a_trigger_is_missing(client: Client) -> None:
    assert declared()
    remove()
    response = client.get("/readyz")
    assert response.status_code == 503
    assert response.json()["checks"]["triggers"].endswith("is missing")


@pytest.mark.django_db
def test_redis_is_asked_where_it_is_used(client: Client, redis_server: RedisServer, settings: Settings) -> None:
    settings.LENS = Environment(redis_url=SecretStr(redis_server.url))
    assert client.get("/readyz").json()["checks"]["redis"] == "answers"
    redis_server.stop()
    response = client.get("/readyz")
    assert (response.status_code, response.json()["checks"]["redis"]) == (503, "does not answer")


@pytest.mark.parametrize("url", ["redis://127.0.0.1:1", "redis://user:hush@127.0.0.1:1/0"])
def test_a_finding_repeats_no_address(url: str) -> None:
    finding = health.redis_server(url)
    assert (finding.ok, finding.text) == (False, "does not answer")
    assert "hush" not in json.dumps(finding.__dict__)


@pytest.mark.django_db
def test_a_probe_that_breaks_is_a_finding_and_no_traceback(monkeypatch: pytest.MonkeyPatch, client: Client) -> None:
    def broken(using: str) -> None:
        raise ZeroDivisionError("hush")

    monkeypatch.setattr(health, "verify", broken)
    response = client.get("/readyz")
    assert (response.status_code, response.json()["checks"]["triggers"]) == (503, "cannot be read")
    assert b"hush" not in response.content


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_a_host_that_is_not_ours_is_refused_in_json(client: Client, path: str) -> None:
    response = client.get(path, headers={"Host": "evil.example"})
    assert (response.status_code, response.json()["error"]["code"]) == (400, "BAD_REQUEST")


@pytest.mark.django_db
@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_health_checks_write_nothing(client: Client, method: str) -> None:
    assert getattr(client, method)("/readyz").status_code == 405
    assert getattr(client, method)("/healthz").status_code == 405


@pytest.mark.django_db
def test_a_good_key_works_where_the_database_answers(client: Client) -> None:
    _, token = make_key()
    assert client.get("/api/v1/networks", headers={"Authorization": f"Bearer {token}"}).status_code == 200
