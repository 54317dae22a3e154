"""The secrets of source accounts: files under var/keys, named in the row and read when a transaction is signed."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from nacl.signing import SigningKey

from lensproject.core.stellar.keypairs import account_of_seed
from payments.x402.settlement import Sign

KEY_NAME = "facilitator"
"""The one that `LENS_FACILITATOR_KEY` may replace."""

OTHERS_MAY = 0o077


class KeyUnusable(Exception):
    """The secret of an account is not there, or not as it must be. The message names the file, nothing of it."""


def signer(key_name: str, address: str) -> Sign:
    """Signs transaction hashes with the account's key. Raises KeyUnusable."""
    secret = seed(key_name)
    if account_of_seed(secret) != address:
        raise KeyUnusable(f"the key {key_name} is of another account than {address}")
    key = SigningKey(secret)
    return lambda digest: key.sign(digest).signature


def seed(key_name: str) -> bytes:
    """The 32 bytes of a secret. Raises KeyUnusable."""
    lens = settings.LENS
    if key_name == KEY_NAME and lens.facilitator_key is not None:
        return bytes.fromhex(lens.facilitator_key.get_secret_value())
    return _from_file(lens.var / "keys" / key_name)


def _from_file(path: Path) -> bytes:
    try:
        if path.stat().st_mode & OTHERS_MAY:
            raise KeyUnusable(f"the key {path.name} can be read by others; its mode must be 0600")
        text = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        raise KeyUnusable(f"the key {path.name} cannot be read") from None
    try:
        found = bytes.fromhex(text)
    except ValueError:
        found = b""
    if len(found) != 32:
        raise KeyUnusable(f"the key {path.name} is no seed of 64 hex digits")
    return found
