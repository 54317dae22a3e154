"""Sessions in the database, found by keys that a session can have."""

from __future__ import annotations

from django.contrib.sessions.backends.db import SessionStore as DatabaseStore


class SessionStore(DatabaseStore):
    """What a cookie says is asked of the database only when it is letters and digits, as every key is.

    PostgreSQL refuses a text with U+0000, and a quoted cookie can carry one to any page.
    """

    def _validate_session_key(self, key: str) -> bool:
        return bool(super()._validate_session_key(key)) and key.isascii() and key.isalnum()  # type: ignore[misc]  # no stub
