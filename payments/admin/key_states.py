"""Whether a key works, in words."""

from __future__ import annotations

from django.utils.safestring import SafeString

from lensproject.core import clock
from lensproject.core.admin.display import badge, moment_text
from payments.admin.attention import SOON
from payments.models import ApiKey


def key_state(key: ApiKey) -> SafeString:
    """Works, expires soon, expired or revoked."""
    if key.revoked_at is not None:
        return badge(f"Revoked {moment_text(key.revoked_at)}", "bad")
    if key.expires_at is None:
        return badge("Works", "good")
    if key.expires_at <= clock.now():
        return badge(f"Expired {moment_text(key.expires_at)}", "quiet")
    soon = key.expires_at <= clock.now() + SOON
    return badge(f"Works until {moment_text(key.expires_at)}", "wait" if soon else "good")
