"""Stellar addresses with their checksums (SEP-23), and the token contract of an asset."""

from __future__ import annotations

NATIVE = "XLM"


def is_account(address: str) -> bool:
    """Whether this is a `G…` address whose checksum is right."""
    from lensproject.core.stellar import strkeys  # Half a second to import, and most processes never need it.

    return strkeys.is_account(address)


def is_contract(address: str) -> bool:
    """Whether this is a `C…` address whose checksum is right."""
    from lensproject.core.stellar import strkeys

    return strkeys.is_contract(address)


def token_contract(code: str, issuer: str, passphrase: str) -> str:
    """The contract of a classic asset, or of native lumens (`XLM` without issuer), on the network of that
    passphrase.
    """
    from stellar_sdk import Asset

    asset = Asset(code, issuer) if issuer else Asset.native()
    return asset.contract_id(passphrase)
