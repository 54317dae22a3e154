from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from lensproject.core import versions
from lensproject.core.callers import ANONYMOUS, Caller
from lensproject.core.rest import conditional, keys
from lensproject.core.versions import Versioned

CHANGED = datetime(2026, 11, 30, 20, 24, 34, 987_000, tzinfo=UTC)
VALUE = {"name": "Zürich", "amount": "0.05"}


def answer(
    headers: dict[str, str] | None = None, *, version: str | None = None, changed: datetime | None = CHANGED
) -> HttpResponse:
    request = RequestFactory().get("/api/v1/x", headers=headers)
    return conditional.answer(request, VALUE, version=version, changed=changed)


def test_the_version_is_the_sha256_of_the_bytes() -> None:
    response = answer()
    assert response.status_code == 200
    assert response.content == '{"name":"Zürich","amount":"0.05"}'.encode()
    assert response["ETag"] == f'"sha256:{sha256(response.content).hexdigest()}"'
    assert response["Content-Type"] == "application/json"


def test_the_time_is_told_to_the_second() -> None:
    assert answer()["Last-Modified"] == "Mon, 30 Nov 2026 20:24:34 GMT"


def test_without_a_notion_of_change_there_is_no_time() -> None:
    assert "Last-Modified" not in answer(changed=None)


def test_a_version_that_is_given_is_the_etag() -> None:
    assert answer(version="sha256:abc")["ETag"] == '"sha256:abc"'


def test_each_key_has_answers_of_its_own() -> None:
    response = answer()
    assert response["Vary"] == "Authorization"
    assert response["Cache-Control"] == "private, no-cache"


@pytest.mark.parametrize("form", ['"sha256:abc"', 'W/"sha256:abc"', '"x", "sha256:abc"', "*"])
def test_who_has_the_version_gets_304(form: str) -> None:
    response = answer({"If-None-Match": form}, version="sha256:abc")
    assert response.status_code == 304
    assert response.content == b""
    assert response["ETag"] == '"sha256:abc"'
    assert response["Last-Modified"] == "Mon, 30 Nov 2026 20:24:34 GMT"
    assert response["Cache-Control"] == "private, no-cache"
    assert response["Vary"] == "Authorization"


@pytest.mark.parametrize("form", ['"sha256:old"', "sha256:abc", "nonsense"])
def test_who_has_another_version_gets_the_body(form: str) -> None:
    assert answer({"If-None-Match": form}, version="sha256:abc").status_code == 200


@pytest.mark.parametrize(
    ("since", "status"),
    [
        ("Mon, 30 Nov 2026 20:24:34 GMT", 304),
        ("Mon, 30 Nov 2026 20:24:35 GMT", 304),
        ("Mon, 30 Nov 2026 20:24:33 GMT", 200),
        ("yesterday", 200),
    ],
)
def test_who_names_a_time_gets_what_changed_since(since: str, status: int) -> None:
    assert answer({"If-Modified-Since": since}).status_code == status


def test_the_version_counts_more_than_the_time() -> None:
    headers = {"If-None-Match": '"sha256:old"', "If-Modified-Since": "Mon, 30 Nov 2026 20:24:34 GMT"}
    assert answer(headers, version="sha256:abc").status_code == 200


def test_a_time_says_nothing_where_there_is_no_notion_of_change() -> None:
    assert answer({"If-Modified-Since": "Mon, 30 Nov 2026 20:24:34 GMT"}, changed=None).status_code == 200


def test_a_precondition_that_fails_is_412() -> None:
    assert answer({"If-Match": '"sha256:old"'}, version="sha256:abc").status_code == 412


def test_bytes_of_another_kind() -> None:
    request = RequestFactory().get("/api/openapi.json")
    response = conditional.answer_bytes(request, b"{}", "application/json", cache_control="public, no-cache")
    assert response["Cache-Control"] == "public, no-cache"
    assert json.loads(response.content) == {}


class Log:
    """A change log that says when the topics changed that it was asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []

    def read(self, uri: str, caller: Caller) -> Versioned:
        raise NotImplementedError

    def last_modified(self, topics: Sequence[str], keys: Sequence[str] | None = None) -> datetime | None:
        self.asked.append(tuple(topics))
        return CHANGED


@pytest.fixture
def log() -> Iterator[Log]:
    before, seam = list(versions._provided), list(keys._seam)
    log = Log()
    versions.provide(log)
    keys.verify_with(lambda token, address: ANONYMOUS, topic="test.keys")
    yield log
    versions._provided[:] = before
    keys._seam[:] = seam


def test_a_change_of_a_key_is_a_change_too(log: Log) -> None:
    assert conditional.last_change("a", "b") == CHANGED
    assert log.asked == [("a", "b", "test.keys")]
