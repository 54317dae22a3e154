"""Times as RPC writes them."""

from __future__ import annotations

from datetime import UTC, datetime


def written(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
