"""Assets: what payments may be made in. The token contract of native and classic assets is derived, never typed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ValidationError

from bazaar.models import Asset, rules
from bazaar.models.networks import NATIVE_CODE
from lensproject.core import curation
from lensproject.core.stellar.addresses import is_contract, token_contract

if TYPE_CHECKING:
    from django.contrib.auth.models import User

CHANGEABLE = frozenset({"home_domain", "enabled"})
STELLAR_DECIMALS = 7


def create_asset(values: Mapping[str, Any], *, by: User | None, reason: str) -> Asset:
    """List an asset. `values`: network, kind, and code with issuer (classic) or code, contract and decimals
    (contract).
    """
    asset = Asset(**values)
    if asset.kind == Asset.Kind.CONTRACT:
        if not is_contract(asset.contract):
            raise ValidationError({"contract": "This is no contract address: its checksum is wrong."})
        return curation.create(asset, by=by, reason=reason)
    if asset.kind == Asset.Kind.NATIVE:
        asset.code, asset.issuer = NATIVE_CODE, ""
    else:
        _check_issuer(asset.issuer)
    asset.decimals = STELLAR_DECIMALS
    asset.contract = token_contract(asset.code, asset.issuer, asset.network.passphrase)
    return curation.create(asset, by=by, reason=reason)


def revise_asset(asset: Asset, changes: Mapping[str, Any], *, row_version: int, by: User | None, reason: str) -> Asset:
    """Change whether it is listed, or its home domain. What the asset is never changes: amounts count its units."""
    fixed = [name for name, value in changes.items() if name not in CHANGEABLE and getattr(asset, name) != value]
    if fixed:
        raise ValidationError(dict.fromkeys(fixed, "What an asset is never changes; list another one."))
    return curation.revise(asset, changes, row_version=row_version, by=by, reason=reason)


def _check_issuer(issuer: str) -> None:
    try:
        rules.account(issuer)
    except ValidationError as error:
        raise ValidationError({"issuer": error.messages}) from None
