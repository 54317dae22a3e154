"""Stellar addresses with their checksums (SEP-23), and the token contract of an asset."""

from __future__ import annotations

NATIVE = "XLM"


def is_account(address: str) -> bool:
    """Whether this is a `G…` address whose checksum is right."""
    from stellar_sdk import StrKey  # Half a second to import, and most processes never need it.

    return StrKey.is_valid_ed25519_public_key(address)


def is_contract(address: str) -> bool:
    """Whether this is a `C…` address whose checksum is right."""
    from stellar_sdk import StrKey

    return StrKey.is_valid_contract(address)


def token_contract(code: str, issuer: str, passphrase: str) -> str:
    """The contract of a classic asset, or of native lumens (`XLM` without issuer), on the network of that
    passphrase.
    """
    from stellar_sdk import Asset

    asset = Asset(code, issuer) if issuer else Asset.native()
    return asset.contract_id(passphrase)
