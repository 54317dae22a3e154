"""Keys at the shared servers."""

from __future__ import annotations

import secrets
from collections.abc import Callable

import pytest

from tests.mcp_bridge.offering import keys

Issue = Callable[..., str]


@pytest.fixture
def issue() -> Issue:
    """`issue(scopes="write")`: a new key that the shared servers know. Ask for `server` or `start` too."""

    def new(**known: object) -> str:
        token = f"key-{secrets.token_hex(8)}"
        keys.issue(token, **known)  # type: ignore[arg-type]
        return token

    return new


@pytest.fixture
def key(at_served_database: None, issue: Issue) -> str:
    """A key that may do everything."""
    return issue(scopes="write")
