from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.http import HttpRequest
from django.test import RequestFactory
from pydantic import SecretStr
from pytest_django import Settings

from lensproject.core.callers import ANONYMOUS, Caller
from lensproject.core.errors import PermissionDenied, Unauthenticated
from lensproject.core.rest import keys
from lensproject.core.rest.keys import BearerKey, client_address
from lensproject.core.rest.refusals import KeyRefused
from lensproject.environment import Environment

READER = Caller(subject="agent_1", key_id="k", scopes=frozenset({"read"}))
asked: list[tuple[str, str | None]] = []


def verify(token: str, address: str | None) -> Caller | None:
    asked.append((token, address))
    return READER if token == "good" else None


@pytest.fixture(autouse=True)
def one_good_key() -> Iterator[None]:
    before = list(keys._seam)
    keys.verify_with(verify, topic="test.keys")
    asked.clear()
    yield
    keys._seam[:] = before


def request(authorization: str | None = None, **meta: str) -> HttpRequest:
    headers = {} if authorization is None else {"HTTP_AUTHORIZATION": authorization}
    return RequestFactory().get("/api/v1/pairs", **headers, **meta)  # type: ignore[arg-type]


def open_to_all(settings: Settings) -> None:
    settings.LENS = Environment(anonymous_reading=True)


@pytest.mark.parametrize("header", ["Bearer good", "bearer good", "BEARER   good", "Bearer good "])
def test_a_good_key_is_its_caller(header: str) -> None:
    assert BearerKey("read")(request(header)) is READER
    assert asked == [("good", "127.0.0.1")]


def test_a_wrong_key_is_refused() -> None:
    with pytest.raises(KeyRefused, match="unknown, expired or revoked") as caught:
        BearerKey("read")(request("Bearer wrong"))
    assert caught.value.code.name == "UNAUTHENTICATED"


@pytest.mark.parametrize(
    "header", ["good", "Basic good", "Bearer", "Bearer good good", "Bearer good, Bearer good", "Bearer g\x00od"]
)
def test_what_is_no_bearer_key_is_not_even_looked_up(header: str) -> None:
    with pytest.raises(KeyRefused):
        BearerKey("read")(request(header))
    assert asked == []


def test_no_key() -> None:
    with pytest.raises(Unauthenticated, match="send Authorization: Bearer") as caught:
        BearerKey("read")(request())
    assert not isinstance(caught.value, KeyRefused)
    assert caught.value.details == {"scope": "read"}


def test_a_key_of_another_scope() -> None:
    with pytest.raises(PermissionDenied, match="lacks the scope pay"):
        BearerKey("pay")(request("Bearer good"))


def test_reading_without_a_key_where_the_setting_allows_it(settings: Settings) -> None:
    open_to_all(settings)
    assert BearerKey("read", or_anonymous=True)(request()) is ANONYMOUS


def test_what_is_not_for_all_needs_a_key_whatever_the_setting_says(settings: Settings) -> None:
    open_to_all(settings)
    with pytest.raises(Unauthenticated):
        BearerKey("read")(request())


def test_a_wrong_key_is_refused_where_no_key_would_do(settings: Settings) -> None:
    open_to_all(settings)
    with pytest.raises(KeyRefused):
        BearerKey("read", or_anonymous=True)(request("Bearer wrong"))


def test_the_document_calls_it_a_bearer_key() -> None:
    assert BearerKey("read").openapi_security_schema == {
        "type": "http",
        "scheme": "bearer",
        "description": "An API key, as an operator issued it.",
    }


def test_without_proxies_the_header_that_anybody_can_send_is_not_believed() -> None:
    assert client_address(request(REMOTE_ADDR="203.0.113.7", HTTP_X_FORWARDED_FOR="10.0.0.1")) == "203.0.113.7"


@pytest.mark.parametrize(
    ("proxies", "header", "address"),
    [
        (1, "203.0.113.7", "203.0.113.7"),
        (1, "10.0.0.1, 203.0.113.7", "203.0.113.7"),
        (2, "10.0.0.1, 203.0.113.7, 192.0.2.1", "203.0.113.7"),
        (2, "203.0.113.7", None),
        (1, "", None),
        (1, "unknown", None),
        (1, "2001:DB8::7", "2001:db8::7"),
    ],
)
def test_behind_proxies_it_is_the_entry_of_the_outermost_one(
    settings: Settings, proxies: int, header: str, address: str | None
) -> None:
    settings.LENS = Environment(proxy_count=proxies, key_peppers=SecretStr(f"1:{'ab' * 32}"))
    assert client_address(request(REMOTE_ADDR="192.0.2.9", HTTP_X_FORWARDED_FOR=header)) == address


@pytest.mark.parametrize(
    ("remote", "address"), [("::ffff:203.0.113.7", "203.0.113.7"), ("::1", "::1"), ("", None), ("/run/socket", None)]
)
def test_addresses_are_in_their_plain_form(remote: str, address: str | None) -> None:
    assert client_address(request(REMOTE_ADDR=remote)) == address
