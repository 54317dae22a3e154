"""Keys at the REST door, with the service behind it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from lensproject.core import clock
from lensproject.environment import Environment
from payments.authentication.keys import revoke_key
from payments.models import ApiKey
from tests.builders import make_agent, make_key, make_seller

pytestmark = pytest.mark.django_db
URL = "/api/v1/networks"
AT = datetime(2026, 11, 30, 20, 0, tzinfo=UTC)


def ask(client: Client, token: str, **extra: Any) -> Any:
    return client.get(URL, headers={"Authorization": f"Bearer {token}"}, **extra)


def refused(response: Any) -> bool:
    """401 in the one shape, which does not say what is wrong with the key."""
    error = response.json()["error"]
    assert error["message"] == "The API key is unknown, expired or revoked."
    assert 'error="invalid_token"' in response["WWW-Authenticate"]
    return (response.status_code, error["code"]) == (401, "UNAUTHENTICATED")


def test_a_good_key(client: Client) -> None:
    _, token = make_key()
    assert ask(client, token).status_code == 200


def test_a_key_that_nobody_issued(client: Client) -> None:
    _, token = make_key()
    assert refused(ask(client, token[:-1] + ("0" if token[-1] != "0" else "1")))
    assert refused(ask(client, "lens_" + "a" * 16 + "_" + "0" * 64))
    assert refused(ask(client, "nonsense"))


def test_an_expired_key(client: Client) -> None:
    with clock.frozen(AT):
        key, token = make_key(expires_at=AT + timedelta(hours=1))
        assert ask(client, token).status_code == 200
    with clock.frozen(AT + timedelta(hours=1)):
        assert refused(ask(client, token))
    key.refresh_from_db()
    assert key.last_used_at == AT


def test_a_revoked_key(client: Client) -> None:
    key, token = make_key()
    revoke_key(key, row_version=key.row_version, by=None, reason="test")
    assert refused(ask(client, token))
    assert ApiKey.objects.get(pk=key.pk).last_used_at is None


def test_a_key_of_another_scope(client: Client) -> None:
    seller = make_seller()
    _, token = make_key(agent=make_agent(), seller=seller, can_read=False, can_write_catalog=True)
    response = ask(client, token)
    assert (response.status_code, response.json()["error"]["code"]) == (403, "PERMISSION_DENIED")
    assert response.json()["error"]["details"] == {"scope": "read"}


def test_a_key_from_elsewhere(client: Client) -> None:
    _, token = make_key(allowed_ips=["203.0.113.0/24"])
    assert refused(ask(client, token, REMOTE_ADDR="198.51.100.7"))
    assert ask(client, token, REMOTE_ADDR="203.0.113.7").status_code == 200


def test_a_client_cannot_choose_its_address(client: Client, settings: Settings) -> None:
    _, token = make_key(allowed_ips=["203.0.113.0/24"])
    forged = {"Authorization": f"Bearer {token}", "X-Forwarded-For": "203.0.113.7, 198.51.100.7"}
    assert refused(client.get(URL, headers=forged))
    settings.LENS = Environment(proxy_count=1)
    assert refused(client.get(URL, headers=forged))
    real = {"Authorization": f"Bearer {token}", "X-Forwarded-For": "198.51.100.7, 203.0.113.7"}
    assert client.get(URL, headers=real).status_code == 200


def test_the_last_use_is_written_at_most_once_a_minute(client: Client) -> None:
    key, token = make_key()
    for seconds, written in ((0, 0), (59, 0), (60, 60), (61, 60)):
        with clock.frozen(AT + timedelta(seconds=seconds)):
            assert ask(client, token).status_code == 200
        key.refresh_from_db()
        assert key.last_used_at == AT + timedelta(seconds=written)


def test_a_key_in_the_address_is_no_key(client: Client) -> None:
    _, token = make_key()
    assert client.get(URL, {"access_token": token}).status_code == 401
