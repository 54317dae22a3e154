"""The seam for keys: a project says how a bearer token is verified, and the bridge keeps what it learned.

A verified key is kept in memory under a digest of its token, never the token itself, and under the generation of a
topic of the change log. That generation is looked at once a sweep interval at most, so a revoked key ends within one
interval. The end of a key by time is compared at each use.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import TypeAlias

from django.core.exceptions import ImproperlyConfigured

from lensproject.core import clock, pool
from lensproject.core.callers import Caller
from mcp_bridge import configuration
from mcp_bridge.changes import Kept, generation

Verify: TypeAlias = Callable[[str, str | None], Caller | None]
"""Token and client address → who asks, or None. It may write (the key's last use): it runs in the writing thread."""

REVERIFY_SECONDS = 60
"""A key in steady use is verified anew this often, so that its last use is written down."""


@dataclass
class _Seam:
    verify: Verify
    topic: str
    looked_at: float = -1e9
    number: int = 0


_seams: list[_Seam] = []
_kept: Kept[Caller] = Kept(entries=10_000)


def authenticate_with(verify: Verify, *, topic: str) -> None:
    """Say how keys are verified, and the topic of the change log that moves when one changes. The last call counts."""
    _seams[:] = [_Seam(verify, topic)]
    _kept.clear()


def seam() -> tuple[Verify, str]:
    """What `authenticate_with` was given last. Raises ImproperlyConfigured when nobody called it."""
    return _seam().verify, _seam().topic


async def authenticate(token: str, address: str | None) -> Caller | None:
    """Who holds this token; None when it is unknown, ended or revoked. ImproperlyConfigured without a seam."""
    seam = _seam()
    minute = int(time.monotonic() // REVERIFY_SECONDS)
    place = (sha256(f"{address}\0{token}".encode()).digest(), minute)
    number = await _as_of(seam)
    found = _kept.get(place, number)
    if found is not None:
        return _unless_ended(found[0])
    caller = await pool.write(seam.verify, token, address)
    # Number 0: nothing is tracked in this database, so nothing would ever say that the key was revoked.
    if caller is not None and number:
        _kept.put(place, number, caller)
    return None if caller is None else _unless_ended(caller)


def _unless_ended(caller: Caller) -> Caller | None:
    ended = caller.expires_at is not None and caller.expires_at <= clock.now()
    return None if ended else caller


async def _as_of(seam: _Seam) -> int:
    """The generation of the keys, at most one sweep interval old."""
    now = time.monotonic()
    if now - seam.looked_at >= configuration.current().sweep_interval_ms / 1000:
        seam.number = (await pool.read(generation, (seam.topic,))).number
        seam.looked_at = now
    return seam.number


def _seam() -> _Seam:
    if not _seams:
        raise ImproperlyConfigured("No app has called mcp_bridge.authentication.authenticate_with.")
    return _seams[0]
