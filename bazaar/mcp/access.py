"""Who may read over MCP: keys with the scope `read`, and anybody where the setting opens reading to who has no key."""

from __future__ import annotations

from django.conf import settings

from lensproject.core.callers import READ


def reading_scope() -> str | None:
    """The scope that reading needs, None for none. A key may always do what is open to nobody's key."""
    return None if settings.LENS.anonymous_reading else READ
