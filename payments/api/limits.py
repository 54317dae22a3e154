"""A limit on requests a minute for each address, in the memory of one process."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

WINDOW_SECONDS = 60.0
MOST_ADDRESSES = 10_000


class Limiter:
    """Counts in windows of a minute. Each process counts for itself, so several let through several times as much."""

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self._now = now
        self._started = now()
        self._counts: dict[str, int] = {}

    def wait(self, address: str, limit: int) -> int | None:
        """Count a request. None when it may pass, else the seconds until the next window. `limit` 0: no limit."""
        if not limit:
            return None
        now = self._now()
        if now - self._started >= WINDOW_SECONDS or len(self._counts) > MOST_ADDRESSES:
            self._started, self._counts = now, {}
        self._counts[address] = count = self._counts.get(address, 0) + 1
        return None if count <= limit else max(1, round(WINDOW_SECONDS - (now - self._started)))
