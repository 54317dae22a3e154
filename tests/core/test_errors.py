from __future__ import annotations

from typing import Any

import pytest

from lensproject.core import errors
from lensproject.core.errors import CODES, InvalidInput, RateLimited, Refusal, Unavailable

NEUTRAL: list[tuple[type[Refusal], str, int, bool]] = [
    (errors.InvalidInput, "INVALID_INPUT", 422, False),
    (errors.Unauthenticated, "UNAUTHENTICATED", 401, False),
    (errors.PermissionDenied, "PERMISSION_DENIED", 403, False),
    (errors.NotFound, "RESOURCE_NOT_FOUND", 404, False),
    (errors.StaleVersion, "STALE_VERSION", 409, False),
    (errors.RateLimited, "RATE_LIMITED", 429, True),
    (errors.InternalError, "INTERNAL_ERROR", 500, False),
    (errors.Unavailable, "UNAVAILABLE", 503, True),
]


@pytest.mark.parametrize(("kind", "name", "status", "retryable"), NEUTRAL)
def test_the_neutral_codes_are_as_they_are_for_ever(
    kind: type[Refusal], name: str, status: int, retryable: bool
) -> None:
    assert kind.code is CODES[name]
    assert (kind.code.name, kind.code.status, kind.code.retryable) == (name, status, retryable)


def test_a_refusal_has_the_one_shape() -> None:
    refusal = InvalidInput("That is wrong.", details={"fields": {"limit": "too large"}})
    assert refusal.shape() == {
        "error": {
            "code": "INVALID_INPUT",
            "message": "That is wrong.",
            "retryable": False,
            "details": {"fields": {"limit": "too large"}},
        }
    }
    assert str(refusal) == "That is wrong."


def test_a_refusal_without_details_has_empty_ones() -> None:
    shape: Any = InvalidInput("x").shape()
    assert shape["error"]["details"] == {}


@pytest.mark.parametrize("kind", [RateLimited, Unavailable])
def test_when_to_ask_again_stands_in_the_details(kind: type[Refusal]) -> None:
    refusal = kind("Later.", details={"limit": 5}, retry_after=7)
    assert (refusal.retry_after, refusal.details) == (7, {"limit": 5, "retryAfter": 7})


def test_details_are_copied() -> None:
    details: dict[str, errors.JSON] = {"a": 1}
    refusal = RateLimited("Later.", details=details, retry_after=7)
    assert details == {"a": 1}
    details["b"] = 2
    assert refusal.details == {"a": 1, "retryAfter": 7}


def test_a_code_is_declared_once() -> None:
    before = CODES["INVALID_INPUT"]
    with pytest.raises(ValueError, match="INVALID_INPUT is declared twice"):
        errors.declare("INVALID_INPUT", status=400, meaning="Something else.")
    assert CODES["INVALID_INPUT"] is before


def test_every_code_is_a_sentence_and_an_http_status() -> None:
    for name, code in CODES.items():
        assert name == code.name == name.upper()
        assert 200 <= code.status <= 599
        assert code.meaning.endswith((".", "`.")), name
