from __future__ import annotations

import pytest

from bazaar import errors
from bazaar.errors import UnsupportedAsset, UnsupportedNetwork
from lensproject.core.errors import CODES

TABLE = {
    "UNSUPPORTED_NETWORK": (400, False),
    "UNSUPPORTED_ASSET": (400, False),
    "CATALOG_VALIDATION_FAILED": (422, False),
    "ROUTE_TEMPLATE_INVALID": (422, False),
    "SELLER_DOMAIN_UNVERIFIED": (403, False),
    "UPSTREAM_UNREACHABLE": (502, True),
    "URL_BLOCKED": (400, False),
}


@pytest.mark.parametrize("name", TABLE)
def test_a_code_keeps_its_status_and_whether_it_may_be_retried(name: str) -> None:
    assert (CODES[name].status, CODES[name].retryable) == TABLE[name]
    assert CODES[name].meaning.endswith(".")


def test_what_is_declared_by_name_is_named_so() -> None:
    for name in ("CATALOG_VALIDATION_FAILED", "ROUTE_TEMPLATE_INVALID", "SELLER_DOMAIN_UNVERIFIED", "URL_BLOCKED"):
        assert getattr(errors, name) is CODES[name]


def test_exceptions_carry_their_codes() -> None:
    shape = UnsupportedNetwork("No.", details={"network": "stellar:moon"}).shape()
    assert shape == {
        "error": {
            "code": "UNSUPPORTED_NETWORK",
            "message": "No.",
            "retryable": False,
            "details": {"network": "stellar:moon"},
        }
    }
    assert UnsupportedAsset.code is CODES["UNSUPPORTED_ASSET"]
