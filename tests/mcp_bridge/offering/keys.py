"""Keys of the tests: rows of Django's user table, so that no other app is needed."""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256

from django.contrib.auth.models import User

from lensproject.core.callers import Caller
from mcp_bridge.changes import track

TOPIC = "offering.keys"
VERIFIED: list[str | None] = []


def track_keys() -> None:
    track(User, topic=TOPIC, columns=("username", "is_active", "first_name"))


def digest(token: str) -> str:
    return sha256(token.encode()).hexdigest()


def issue(token: str, *, subject: str = "agent", scopes: str = "", expires_at: datetime | None = None) -> User:
    """A key: its digest, whose it is, its scopes (separated by spaces) and its end."""
    return User.objects.create(username=digest(token), last_name=subject, first_name=scopes, last_login=expires_at)


def verify(token: str, address: str | None) -> Caller | None:
    """The seam that the offering app gives to the bridge."""
    VERIFIED.append(address)
    user = User.objects.filter(username=digest(token), is_active=True).first()
    if user is None:
        return None
    scopes = frozenset(user.first_name.split())
    return Caller(subject=user.last_name, key_id=f"key_{user.pk}", scopes=scopes, expires_at=user.last_login)
