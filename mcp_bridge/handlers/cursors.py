"""Pages by keyset: a cursor says after which entry to go on, for which list and for which audience, and is signed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import TypeVar

import mcp_types as types
from django.core import signing
from mcp.shared.exceptions import MCPError

from lensproject.core.callers import Caller

T = TypeVar("T")
SALT = "mcp_bridge.cursor"


def audience(caller: Caller) -> str:
    """What a list was filtered by: for other scopes it is another list, in which a cursor means something else."""
    return sha256(" ".join(sorted(caller.scopes)).encode()).hexdigest()[:16]


def page(
    entries: Sequence[T], key: Callable[[T], str], *, name: str, caller: Caller, cursor: str | None, size: int
) -> tuple[Sequence[T], str | None]:
    """The entries after the cursor, `size` at most, and the cursor of the next page or None.

    `entries` are in order of `key`. Raises InvalidParams for a cursor that is not one of ours for this list and
    audience; the empty string is a cursor too (MCP, Pagination).
    """
    start = 0 if cursor is None else bisect_right(entries, _after(cursor, name, caller), key=key)
    shown = entries[start : start + size]
    more = start + size < len(entries)
    return shown, _sign(name, caller, key(shown[-1])) if more else None


def _sign(name: str, caller: Caller, after: str) -> str:
    return signing.dumps([name, audience(caller), after], salt=SALT)


def _after(cursor: str, name: str, caller: Caller) -> str:
    try:
        listed, seen_by, after = signing.loads(cursor, salt=SALT)
    except (signing.BadSignature, ValueError, TypeError):
        listed = seen_by = after = None
    if listed != name or seen_by != audience(caller) or not isinstance(after, str):
        raise MCPError(types.INVALID_PARAMS, "The cursor is not one of this list.", {"field": "cursor"})
    return after
