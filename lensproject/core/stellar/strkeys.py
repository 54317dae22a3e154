"""Addresses to raw keys and back, remembered: the checksums cost more than anything else about an address (SEP-23)."""

from __future__ import annotations

from functools import lru_cache

from stellar_sdk import StrKey


@lru_cache(maxsize=8192)
def raw_account(address: str) -> bytes:
    """The 32 bytes of a `G…` address. Raises ValueError for anything else."""
    return StrKey.decode_ed25519_public_key(address)


@lru_cache(maxsize=8192)
def raw_contract(address: str) -> bytes:
    """The 32 bytes of a `C…` address. Raises ValueError for anything else."""
    return StrKey.decode_contract(address)


@lru_cache(maxsize=8192)
def account_address(raw: bytes) -> str:
    return StrKey.encode_ed25519_public_key(raw)


@lru_cache(maxsize=8192)
def contract_address(raw: bytes) -> str:
    return StrKey.encode_contract(raw)


@lru_cache(maxsize=8192)
def is_account(address: str) -> bool:
    """Whether this is a `G…` address whose checksum is right."""
    return StrKey.is_valid_ed25519_public_key(address)


@lru_cache(maxsize=8192)
def is_contract(address: str) -> bool:
    """Whether this is a `C…` address whose checksum is right."""
    return StrKey.is_valid_contract(address)


def is_address(address: str) -> bool:
    """Whether this can hold an asset: an account or a contract. Muxed addresses cannot."""
    return is_account(address) or is_contract(address)
