"""Keys that were verified are kept, and end when they should."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.core.exceptions import ImproperlyConfigured

from lensproject.core import clock
from lensproject.core.callers import Caller
from mcp_bridge import authentication
from mcp_bridge.authentication import authenticate
from mcp_bridge.changes import Generation, generation
from mcp_bridge.registry import Registry
from tests.mcp_bridge.offering import keys

ADDRESS = "192.0.2.7"
INTERVAL_MS = 250


class Monotonic:
    """The clock of intervals, moved by hand."""

    now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Monotonic:
    time = Monotonic()
    monkeypatch.setattr(authentication, "time", time)
    return time


def who(token: str, address: str | None = ADDRESS) -> Caller | None:
    return async_to_sync(authenticate)(token, address)


def test_a_key_is_verified_once_and_then_kept(rows: Registry, seam: list[str | None]) -> None:
    user = keys.issue("good", subject="agent", scopes="read write")
    for _ in range(3):
        caller = who("good")
        assert caller is not None
        assert (caller.subject, caller.key_id, caller.scopes) == (
            "agent",
            f"key_{user.pk}",
            frozenset({"read", "write"}),
        )
    assert seam == [ADDRESS]


def test_a_wrong_key_is_nobody_and_is_not_kept(rows: Registry, seam: list[str | None]) -> None:
    assert who("wrong") is None
    keys.issue("wrong")
    assert who("wrong") is not None


def test_a_key_is_verified_for_each_address(rows: Registry, seam: list[str | None]) -> None:
    keys.issue("good")
    who("good")
    who("good", "198.51.100.1")
    assert seam == [ADDRESS, "198.51.100.1"]


def test_a_revoked_key_ends_within_one_interval(rows: Registry, seam: list[str | None], steps: Monotonic) -> None:
    user = keys.issue("good")
    assert who("good") is not None
    user.is_active = False
    user.save()
    steps.now += INTERVAL_MS / 1000
    assert who("good") is None


def test_a_key_revoked_by_plain_sql_ends_too(rows: Registry, seam: list[str | None], steps: Monotonic) -> None:
    from django.db import connection

    keys.issue("good")
    assert who("good") is not None
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM auth_user")
    steps.now += INTERVAL_MS / 1000
    assert who("good") is None


def test_between_two_looks_the_database_is_not_asked(
    rows: Registry, seam: list[str | None], steps: Monotonic, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys.issue("good")
    looks: list[object] = []

    def counted(topics: tuple[str, ...]) -> Generation:
        looks.append(topics)
        return generation(topics)

    monkeypatch.setattr(authentication, "generation", counted)
    for _ in range(5):
        who("good")
    assert looks == [(keys.TOPIC,)]
    steps.now += INTERVAL_MS / 1000
    who("good")
    assert len(looks) == 2


def test_a_new_scope_of_a_key_is_seen(rows: Registry, seam: list[str | None], steps: Monotonic) -> None:
    user = keys.issue("good", scopes="read")
    who("good")
    user.first_name = "read write"
    user.save()
    steps.now += INTERVAL_MS / 1000
    caller = who("good")
    assert caller is not None
    assert caller.scopes == frozenset({"read", "write"})


def test_the_end_of_a_key_is_compared_at_each_use(rows: Registry, seam: list[str | None]) -> None:
    ends = datetime(2026, 12, 1, tzinfo=UTC)
    keys.issue("good", expires_at=ends)
    with clock.frozen(ends - timedelta(microseconds=1)):
        assert who("good") is not None
    with clock.frozen(ends):
        assert who("good") is None
    assert seam == [ADDRESS]


def test_a_key_in_steady_use_is_verified_each_minute_so_that_its_use_is_noted(
    rows: Registry, seam: list[str | None], steps: Monotonic
) -> None:
    keys.issue("good")
    who("good")
    steps.now += authentication.REVERIFY_SECONDS
    who("good")
    assert len(seam) == 2


def test_where_nothing_is_tracked_nothing_is_kept(
    offered: Registry, cloned_database: Any, seam: list[str | None]
) -> None:
    """Without the triggers nothing would say that a key was revoked."""
    keys.issue("good")
    who("good")
    who("good")
    assert len(seam) == 2


def test_the_token_itself_is_nowhere_in_what_is_kept(rows: Registry, seam: list[str | None]) -> None:
    keys.issue("a-very-secret-token")
    who("a-very-secret-token")
    assert "a-very-secret-token" not in repr(vars(authentication._kept))
    assert len(authentication._kept) == 1


def test_a_new_seam_forgets_what_the_old_one_let_in(rows: Registry, seam: list[str | None]) -> None:
    keys.issue("good")
    who("good")
    authentication.authenticate_with(lambda token, address: None, topic=keys.TOPIC)
    assert who("good") is None


def test_without_a_seam_nobody_can_be_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(authentication, "_seams", [])
    with pytest.raises(ImproperlyConfigured, match="authenticate_with"):
        who("good")
