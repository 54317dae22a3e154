"""A bearer token becomes a Caller, or nothing: wrong, unknown, expired, revoked and from elsewhere look the same
outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from ipaddress import ip_address, ip_network

import structlog
from django.db import OperationalError
from django.db.models import Q

from lensproject.core import clock
from lensproject.core.callers import Caller
from lensproject.core.impatience import impatient
from payments.authentication.accounts import Account
from payments.authentication.tokens import digest, read_token, same
from payments.models import ApiKey

USE_IS_WRITTEN_EVERY = timedelta(minutes=1)
USE_WAITS_SECONDS = 0.25
log = structlog.get_logger(__name__)


def verify_key(text: str, ip: str | None) -> Caller | None:
    """The caller whose key this is, or None. `ip` is the client's address, where the server knows it."""
    token = read_token(text)
    key = _find(token.key_id) if token else None
    if token is None or key is None:
        return None
    expected = digest(token, key.pepper_id)
    if expected is None or not same(expected, key.digest):
        return None
    if _ended(key) or not key.user.is_active or not _address_allowed(key.allowed_ips, ip):
        return None
    _note_use(key)
    return caller_of(key)


def caller_of(key: ApiKey) -> Caller:
    """The caller of a key that has been verified."""
    return Caller(
        subject=key.agent.public_id if key.agent else f"key:{key.key_id}",
        key_id=key.key_id,
        scopes=key.scopes,
        networks=frozenset(key.networks.values_list("network__name", flat=True)),
        expires_at=key.expires_at,
        account=Account(key.organisation_id, key.agent_id, key.seller_id),
    )


def _find(key_id: str) -> ApiKey | None:
    return ApiKey.objects.select_related("user", "agent").filter(key_id=key_id).first()


def _ended(key: ApiKey) -> bool:
    return key.revoked_at is not None or (key.expires_at is not None and key.expires_at <= clock.now())


def _address_allowed(ranges: Sequence[str], ip: str | None) -> bool:
    if not ranges:
        return True
    try:
        address = ip_address(ip or "")
    except ValueError:  # Unknown, or a proxy that says something else than an address.
        return False
    # A server that listens on both families names IPv4 clients so.
    address = getattr(address, "ipv4_mapped", None) or address
    return any(address in ip_network(allowed, strict=False) for allowed in ranges)


def _note_use(key: ApiKey) -> None:
    """Write the last use, at most once a minute; a database too busy for it does not lock anybody out."""
    due = clock.now() - USE_IS_WRITTEN_EVERY
    if key.last_used_at is not None and key.last_used_at > due:
        return
    mine = ApiKey.objects.filter(Q(last_used_at__isnull=True) | Q(last_used_at__lte=due), pk=key.pk)
    try:
        with impatient(USE_WAITS_SECONDS):
            mine.update(last_used_at=clock.now())
    except OperationalError:
        log.warning("key_use_not_written", key_id=key.key_id)
