"""Catalogue entries: created, revised, listed, paused, delisted. Every change is a revision with a reason."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ValidationError
from django.db import transaction

from bazaar.models import CatalogEntry, PaymentOption
from lensproject.core import curation

if TYPE_CHECKING:
    from django.contrib.auth.models import User

State = CatalogEntry.State
KEY = ("kind", "method", "origin", "route", "tool")


def create_entry(values: Mapping[str, Any], *, by: User | None, reason: str) -> CatalogEntry:
    """A new entry, as a draft unless `values` say otherwise."""
    return curation.create(CatalogEntry(**values), by=by, reason=reason)


def revise_entry(
    entry: CatalogEntry, changes: Mapping[str, Any], *, row_version: int, by: User | None, reason: str
) -> CatalogEntry:
    """Change an entry. What a listed entry is found under (method, origin, route, tool) stays; delist it first."""
    moved = [name for name in KEY if changes.get(name, getattr(entry, name)) != getattr(entry, name)]
    if moved and entry.state != State.DRAFT:
        raise ValidationError(dict.fromkeys(moved, "A draft only may change this; make a new entry."))
    if changes.get("state", entry.state) != entry.state:
        _check_state(entry, changes["state"], changes.get("state_reason", entry.state_reason))
    return curation.revise(entry, changes, row_version=row_version, by=by, reason=reason)


def set_entry_state(entry: CatalogEntry, state: str, *, row_version: int, by: User | None, reason: str) -> CatalogEntry:
    """List, pause or delist an entry; the reason is shown with the state."""
    changes = {"state": state, "state_reason": "" if state == State.LISTED else reason[:200]}
    return revise_entry(entry, changes, row_version=row_version, by=by, reason=reason)


def create_option(values: Mapping[str, Any], *, by: User | None, reason: str) -> PaymentOption:
    """One more way to pay for an entry; the entry's revision moves with it."""
    with transaction.atomic():
        option = curation.create(PaymentOption(**values), by=by, reason=reason)
        _touch(option.entry, by, reason)
    return option


def revise_option(
    option: PaymentOption, changes: Mapping[str, Any], *, row_version: int, by: User | None, reason: str
) -> PaymentOption:
    """Change price, payTo or terms of a way to pay; the entry's revision moves with it."""
    with transaction.atomic():
        revised = curation.revise(option, changes, row_version=row_version, by=by, reason=reason)
        if revised.row_version != option.row_version:
            _touch(option.entry, by, reason)
    return revised


def _check_state(entry: CatalogEntry, state: str, reason: str) -> None:
    if state == State.LISTED and not entry.options.exists():
        raise ValidationError({"state": "An entry without a way to pay cannot be listed."})
    if state == State.DELISTED and not reason:
        raise ValidationError({"state_reason": "Say why the entry is delisted."})


def _touch(entry: CatalogEntry, by: User | None, reason: str) -> None:
    entry.refresh_from_db()
    curation.mark_revised(entry, row_version=entry.row_version, by=by, reason=reason)
