"""The text of a key, and its keyed hash.

A token is `lens_<key id>_<secret>`: the key id finds the row, the secret is compared by HMAC-SHA-256 under a pepper
that has an id, so that peppers can be rotated while old keys go on (settings LENS_KEY_PEPPERS).
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass

from django.conf import settings

_SHAPE = re.compile(r"lens_([a-z2-7]{16})_([0-9a-f]{64})")
_ID_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"


@dataclass(frozen=True)
class Token:
    """A key as its holder has it. Its repr keeps the secret to itself."""

    key_id: str
    secret: str

    def __repr__(self) -> str:
        return f"Token({self.key_id})"

    def text(self) -> str:
        """What is shown once and sent as `Authorization: Bearer …`."""
        return f"lens_{self.key_id}_{self.secret}"


def new_token() -> Token:
    return Token("".join(secrets.choice(_ID_LETTERS) for _ in range(16)), secrets.token_hex(32))


def read_token(text: str) -> Token | None:
    """The token in a text, or None when it does not look like one of ours."""
    match = _SHAPE.fullmatch(text)
    return Token(match[1], match[2]) if match else None


def current_pepper() -> str:
    """The id of the pepper for new keys: the first that the settings name."""
    return next(iter(settings.KEY_PEPPERS))


def digest(token: Token, pepper_id: str) -> str | None:
    """The keyed hash of a token's secret, or None when that pepper is no longer there."""
    pepper = settings.KEY_PEPPERS.get(pepper_id)
    if pepper is None:
        return None
    return hmac.new(pepper, f"{token.key_id}:{token.secret}".encode(), hashlib.sha256).hexdigest()


def same(left: str, right: str) -> bool:
    """Compare in constant time."""
    return hmac.compare_digest(left, right)
