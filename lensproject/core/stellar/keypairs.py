"""Accounts of secret seeds. A seed itself stays in the file that it was read from."""

from __future__ import annotations


def account_of_seed(seed: bytes) -> str:
    """The `G…` address whose ed25519 secret seed these 32 bytes are. Raises ValueError for another length."""
    from stellar_sdk import Keypair  # Half a second to import, and most processes never need it.

    return Keypair.from_raw_ed25519_seed(seed).public_key
