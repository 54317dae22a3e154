from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone

import pytest

from lensproject.core import clock

AT = datetime(2026, 11, 30, 20, 24, 34, 123_987, tzinfo=UTC)


def test_now_is_aware_and_in_utc() -> None:
    before = datetime.now(UTC)
    now = clock.now()
    assert now.tzinfo is UTC
    assert before <= now <= datetime.now(UTC)


def test_a_frozen_clock_stands_still_for_all_threads() -> None:
    with clock.frozen(AT) as at, ThreadPoolExecutor(1) as thread:
        assert at == clock.now() == thread.submit(clock.now).result() == AT
    assert clock.now() > AT - timedelta(days=36500)
    assert clock.now() != AT


def test_the_inner_of_two_frozen_clocks_counts() -> None:
    with clock.frozen(AT):
        with clock.frozen(AT + timedelta(hours=1)):
            assert clock.now() == AT + timedelta(hours=1)
        assert clock.now() == AT


def test_a_clock_thaws_after_an_error() -> None:
    with pytest.raises(ZeroDivisionError), clock.frozen(AT):
        raise ZeroDivisionError
    assert clock.now() != AT


def test_another_zone_is_the_same_instant() -> None:
    berlin = AT.astimezone(timezone(timedelta(hours=1)))
    with clock.frozen(berlin):
        assert clock.now() == AT
        assert clock.now().tzinfo is UTC


def test_text_is_iso_8601_in_utc_with_milliseconds() -> None:
    assert clock.iso(AT) == "2026-11-30T20:24:34.123Z"
    assert clock.iso(AT.astimezone(timezone(timedelta(hours=-3, minutes=-30)))) == "2026-11-30T20:24:34.123Z"
    assert clock.iso(AT.replace(microsecond=0)) == "2026-11-30T20:24:34.000Z"
    assert datetime.fromisoformat(clock.iso(AT)) == AT.replace(microsecond=123_000)


def test_a_time_without_a_zone_is_refused() -> None:
    naive = AT.replace(tzinfo=None)
    with pytest.raises(ValueError, match="names no instant"):
        clock.iso(naive)
    with pytest.raises(ValueError, match="names no instant"), clock.frozen(naive):
        pass
