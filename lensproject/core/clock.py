"""The clock: UTC, and one that tests can set. Code takes a time as an argument or asks here, never the system."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

_frozen: list[datetime] = []


def now() -> datetime:
    """This instant, aware, in UTC."""
    return _frozen[-1] if _frozen else datetime.now(UTC)


@contextmanager
def frozen(at: datetime) -> Iterator[datetime]:
    """Within the block `now()` is `at`, for all threads of this process."""
    if at.tzinfo is None:
        raise ValueError("a time without a zone names no instant")
    _frozen.append(at.astimezone(UTC))
    try:
        yield _frozen[-1]
    finally:
        _frozen.pop()


def iso(moment: datetime) -> str:
    """ISO 8601 in UTC with milliseconds, such as `2026-11-30T20:24:34.123Z`."""
    if moment.tzinfo is None:
        raise ValueError("a time without a zone names no instant")
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
