"""Numbers and addresses that no two rows of a test share."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from itertools import count

from stellar_sdk import Keypair, StrKey

_numbers = count(1)


def number() -> int:
    return next(_numbers)


@cache
def account(seed: int) -> str:
    """A `G…` address that is the same for the same seed."""
    return Keypair.from_raw_ed25519_seed(sha256(f"account {seed}".encode()).digest()).public_key


@cache
def contract(seed: int) -> str:
    """A `C…` address that is the same for the same seed."""
    return StrKey.encode_contract(sha256(f"contract {seed}".encode()).digest())
