"""API keys: issued (the token is given out once), revised, rotated, revoked. Each with who and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from ipaddress import ip_network
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ValidationError
from django.db import transaction

from bazaar.models import Network
from lensproject.core import clock, curation
from payments.authentication.tokens import Token, current_pepper, digest, new_token
from payments.models import Agent, ApiKey, ApiKeyNetwork

if TYPE_CHECKING:
    from django.contrib.auth.models import User

CHANGEABLE = frozenset({"name", "can_read", "can_pay", "can_write_catalog", "can_settle", "allowed_ips", "expires_at"})
COPIED = (*sorted(CHANGEABLE), "user", "organisation", "agent", "seller")


def issue_key(
    values: Mapping[str, Any], *, networks: Iterable[Network], by: User | None, reason: str
) -> tuple[ApiKey, str]:
    """A new key and its token, which nobody can see again. `values`: name, user, organisation, agent or seller,
    scopes.
    """
    key, token = _prepared(values)
    chosen = list(networks)
    _check(key)
    if not chosen:
        raise ValidationError("A key names the networks on which it may be used.", code="networks")
    with transaction.atomic():
        curation.create(key, by=by, reason=reason)
        ApiKeyNetwork.objects.bulk_create(ApiKeyNetwork(api_key=key, network=network) for network in chosen)
    return key, token.text()


def revise_key(
    key: ApiKey,
    changes: Mapping[str, Any],
    *,
    row_version: int,
    by: User | None,
    reason: str,
    networks: Iterable[Network] | None = None,
) -> ApiKey:
    """Change name, scopes, addresses, expiry or networks of a key that is not revoked."""
    _refuse_revoked(key)
    fixed = [name for name, value in changes.items() if name not in CHANGEABLE and getattr(key, name) != value]
    if fixed:
        raise ValidationError(dict.fromkeys(fixed, "A key stays with whom it was issued to; issue another one."))
    _check_addresses(changes.get("allowed_ips", key.allowed_ips))
    with transaction.atomic():
        revised = curation.revise(key, changes, row_version=row_version, by=by, reason=reason)
        if networks is not None and _set_networks(key, set(networks)) and revised.row_version == row_version:
            revised = curation.mark_revised(key, row_version=row_version, by=by, reason=reason)
    return revised


def rotate_key(key: ApiKey, *, row_version: int, by: User | None, reason: str) -> tuple[ApiKey, str]:
    """A new key like this one, with its token; this one ends in the same transaction."""
    _refuse_revoked(key)
    with transaction.atomic():
        networks = [row.network for row in key.networks.select_related("network")]
        revoke_key(key, row_version=row_version, by=by, reason=reason)
        return issue_key({name: getattr(key, name) for name in COPIED}, networks=networks, by=by, reason=reason)


def revoke_key(key: ApiKey, *, row_version: int, by: User | None, reason: str) -> ApiKey:
    """End a key for good: it stops working within one sweep of each process."""
    _refuse_revoked(key)
    return curation.revise(key, {"revoked_at": clock.now()}, row_version=row_version, by=by, reason=reason)


def _prepared(values: Mapping[str, Any]) -> tuple[ApiKey, Token]:
    token, pepper = new_token(), current_pepper()
    key = ApiKey(**values, key_id=token.key_id, pepper_id=pepper, digest=digest(token, pepper) or "")
    return key, token


def _check(key: ApiKey) -> None:
    agent = key.agent
    if agent is not None and agent.team.organisation_id != key.organisation_id:
        raise ValidationError({"agent": "The agent belongs to another organisation than the key."})
    if agent is not None and agent.state == Agent.State.CLOSED:
        raise ValidationError({"agent": "The agent is closed."})
    if key.expires_at is not None and key.expires_at <= clock.now():
        raise ValidationError({"expires_at": "This is past already."})
    _check_addresses(key.allowed_ips)


def _check_addresses(ranges: Any) -> None:
    if not isinstance(ranges, list):
        raise ValidationError({"allowed_ips": "A list of IP ranges such as 10.0.0.0/8."})
    for text in ranges:
        try:
            ip_network(text, strict=False)
        except ValueError:
            raise ValidationError({"allowed_ips": f"{text} is no IP range such as 10.0.0.0/8."}) from None


def _refuse_revoked(key: ApiKey) -> None:
    if key.revoked_at is not None:
        raise ValidationError("This key is revoked; a revoked key never comes back.", code="revoked")


def _set_networks(key: ApiKey, wanted: set[Network]) -> bool:
    """Whether anything changed. A key made for test networks is not widened to mainnet."""
    held = {row.network for row in key.networks.select_related("network")}
    if any(network.name == Network.Name.PUBNET for network in wanted - held):
        raise ValidationError("A key is not widened to mainnet; issue a new one.", code="networks")
    if not wanted:
        raise ValidationError("A key names the networks on which it may be used.", code="networks")
    key.networks.filter(network__in=held - wanted).delete()
    ApiKeyNetwork.objects.bulk_create(ApiKeyNetwork(api_key=key, network=network) for network in wanted - held)
    return held != wanted
