"""Time zones by name, out of the pinned package `tzdata` alone.

Python would look into the machine's own database first. That is of another release on every machine, and has names such
as `localtime` that mean something else on each, so two processes would cut one and the same day differently.
"""

from __future__ import annotations

import zoneinfo
from functools import cache
from zoneinfo import ZoneInfo

zoneinfo.reset_tzpath(())
_NO_PLACE = {"Factory"}


@cache
def names() -> frozenset[str]:
    """All zones that there are."""
    return frozenset(zoneinfo.available_timezones()) - _NO_PLACE


def zone(name: str) -> ZoneInfo:
    """The zone of that name, letter for letter. Raises ValueError when there is none."""
    if name not in names():
        raise ValueError("is not the name of a time zone, such as Europe/Berlin")
    return ZoneInfo(name)
