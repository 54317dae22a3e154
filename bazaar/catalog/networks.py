"""Networks: made and changed by operators. Mainnet can be enabled only where the environment says so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction

from bazaar.models import Network
from lensproject.core import curation

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def create_network(values: Mapping[str, Any], *, by: User | None, reason: str) -> Network:
    """A new network. `values` are the model's fields."""
    network = Network(**values)
    _refuse_mainnet(network.name, network.enabled)
    with transaction.atomic():
        _take_default_from_others(network.is_default, None, by, reason)
        return curation.create(network, by=by, reason=reason)


def revise_network(
    network: Network, changes: Mapping[str, Any], *, row_version: int, by: User | None, reason: str
) -> Network:
    """Change a network. Marking one as default takes the mark from the one that has it, in the same transaction."""
    if changes.get("name", network.name) != network.name:
        raise ValidationError({"name": "A network keeps its name; payments are recorded under it."})
    _refuse_mainnet(network.name, changes.get("enabled", network.enabled))
    with transaction.atomic():
        _take_default_from_others(changes.get("is_default", False), network.pk, by, reason)
        return curation.revise(network, changes, row_version=row_version, by=by, reason=reason)


def _refuse_mainnet(name: str, enabled: bool) -> None:
    if name == Network.Name.PUBNET and enabled and not settings.LENS.mainnet_enabled:
        raise ValidationError({"enabled": "Mainnet is off: set LENS_MAINNET_ENABLED=true to allow it."})


def _take_default_from_others(wanted: bool, keep: int | None, by: User | None, reason: str) -> None:
    if not wanted:
        return
    for other in Network.objects.filter(is_default=True):
        if other.pk == keep:
            continue
        curation.revise(other, {"is_default": False}, row_version=other.row_version, by=by, reason=reason)
