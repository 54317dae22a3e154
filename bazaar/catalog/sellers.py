"""Sellers and the addresses that they are paid to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ValidationError

from bazaar.models import Seller, SellerAddress
from lensproject.core import curation

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def create_seller(values: Mapping[str, Any], *, by: User | None, reason: str) -> Seller:
    """A new seller; its domain is not proved yet."""
    return curation.create(Seller(**values), by=by, reason=reason)


def revise_seller(
    seller: Seller, changes: Mapping[str, Any], *, row_version: int, by: User | None, reason: str
) -> Seller:
    """Change a seller. A changed domain is a domain that nobody has proved."""
    changes = dict(changes)
    if changes.get("domain", seller.domain) != seller.domain:
        changes["domain_verified_at"] = None
    return curation.revise(seller, changes, row_version=row_version, by=by, reason=reason)


def create_address(values: Mapping[str, Any], *, by: User | None, reason: str) -> SellerAddress:
    """A payTo address of a seller, not proved yet."""
    return curation.create(SellerAddress(**values), by=by, reason=reason)


def revise_address(
    address: SellerAddress, changes: Mapping[str, Any], *, row_version: int, by: User | None, reason: str
) -> SellerAddress:
    """An address is what it is: a seller that is paid elsewhere gets a new row."""
    changed = {name: value for name, value in changes.items() if getattr(address, name) != value}
    if changed:
        raise ValidationError(dict.fromkeys(changed, "An address is never changed; add another one."))
    return address
