"""Keys at the REST door: `Authorization: Bearer <key>` becomes the Caller that services are given."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TypeAlias

from django.conf import settings
from django.http import HttpRequest
from ninja.security import HttpBearer

from lensproject.core.callers import ANONYMOUS, Caller
from lensproject.core.errors import Unauthenticated
from lensproject.core.rest.refusals import KeyRefused

Verify: TypeAlias = Callable[[str, str | None], Caller | None]
"""Token and the client's address → who asks, or None."""

_BEARER = re.compile(r"bearer +([A-Za-z0-9._~+/-]+=*)", re.IGNORECASE)


@dataclass(frozen=True)
class _Seam:
    verify: Verify
    topic: str


_seam: list[_Seam] = []


def verify_with(verify: Verify, *, topic: str) -> None:
    """Say how a key is verified, and the topic of the change log that moves when one changes."""
    _seam[:] = [_Seam(verify, topic)]


def topic() -> str:
    """The topic that moves when a key changes: what an answer shows depends on the key's networks."""
    return _seam[0].topic


class BearerKey(HttpBearer):
    """Asks for a key with a scope. With `or_anonymous` nobody needs one while the setting opens reading to all.

    A key that is sent is always looked at: who sends a wrong one should hear so, not read on as nobody.
    """

    openapi_description = "An API key, as an operator issued it."

    def __init__(self, scope: str, *, or_anonymous: bool = False) -> None:
        super().__init__()
        self.scope = scope
        self.or_anonymous = or_anonymous

    def __call__(self, request: HttpRequest) -> Caller:
        header = request.headers.get("Authorization", "").strip()
        if not header:
            return self._without_key()
        found = _BEARER.fullmatch(header)
        return self.authenticate(request, found[1] if found else "")

    def authenticate(self, request: HttpRequest, token: str) -> Caller:
        """The caller. Raises KeyRefused, or PermissionDenied when the key lacks the scope."""
        caller = _seam[0].verify(token, client_address(request)) if token else None
        if caller is None:
            raise KeyRefused("The API key is unknown, expired or revoked.", details={"scope": self.scope})
        caller.require(self.scope)
        return caller

    def _without_key(self) -> Caller:
        if self.or_anonymous and settings.LENS.anonymous_reading:
            return ANONYMOUS
        raise Unauthenticated("This needs an API key: send Authorization: Bearer <key>.", details={"scope": self.scope})


def caller_of(request: HttpRequest) -> Caller:
    """Who sends this request, as an operation with a BearerKey has it."""
    caller: Caller = request.auth  # type: ignore[attr-defined]  # set by django-ninja
    return caller


def client_address(request: HttpRequest) -> str | None:
    """The client's IP address, or None when it cannot be known.

    With trusted proxies it is the entry that the outermost of them wrote into X-Forwarded-For, counted from the right:
    what stands left of it was sent by the client. A request with fewer entries than proxies came past them.
    """
    proxies: int = settings.LENS.proxy_count
    if not proxies:
        return _address(request.META.get("REMOTE_ADDR", ""))
    entries = [entry.strip() for entry in request.headers.get("X-Forwarded-For", "").split(",")]
    return _address(entries[-proxies]) if len(entries) >= proxies else None


def _address(text: str) -> str | None:
    """An address in its plain form; an IPv4 one that came over an IPv6 socket as IPv4."""
    try:
        address: IPv4Address | IPv6Address = ip_address(text)
    except ValueError:
        return None
    mapped = getattr(address, "ipv4_mapped", None)
    return str(address if mapped is None else mapped)
