"""Bearer keys at the HTTP door: who asks, and what the answer is when that is nobody or not enough (RFC 6750, RFC
9728).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

import mcp_types as types
from django.db import InterfaceError, OperationalError
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.datastructures import Headers
from starlette.types import Scope

from lensproject.core.callers import ANONYMOUS, Caller
from lensproject.core.errors import PermissionDenied, Refusal, Unauthenticated
from mcp_bridge import configuration
from mcp_bridge.authentication import authenticate
from mcp_bridge.registry import Registry
from mcp_bridge.request import EXCHANGE, Exchange
from mcp_bridge.transports.errors import Answered, refused, rpc_error
from mcp_bridge.transports.incoming import needed_scope
from mcp_bridge.transports.streams import Check

PATH = "/mcp"
METADATA = "/.well-known/oauth-protected-resource"
BEARER = re.compile(r"bearer +([A-Za-z0-9._~+/-]+=*)", re.IGNORECASE)


def token_of(scope: Scope) -> str | None:
    """The bearer token of the request; None without an Authorization header, '' for one that is not `Bearer
    <token>`.
    """
    values = Headers(scope=scope).getlist("authorization")
    if not values:
        return None
    found = BEARER.fullmatch(values[0].strip()) if len(values) == 1 else None
    return found.group(1) if found else ""


def address_of(scope: Scope) -> str | None:
    """The client's address: of the connection, or as many entries from the right of X-Forwarded-For as are trusted.

    None when it cannot be known: a request with fewer entries than proxies came past them, or by one that says nothing,
    whose own address must not open a key.
    """
    proxies = configuration.current().proxy_count
    if not proxies:
        client = scope.get("client")
        return str(client[0]) if client else None
    forwarded = ",".join(Headers(scope=scope).getlist("x-forwarded-for")).split(",")
    return forwarded[-proxies].strip() or None if len(forwarded) >= proxies else None


async def admitted(scope: Scope, scopes: Sequence[str]) -> Caller:
    """Who asks. Raises Answered: 401 without a good key, 503 when keys cannot be looked up."""
    token = token_of(scope)
    if token is None:
        if configuration.current().anonymous_reading:
            return ANONYMOUS
        raise unauthenticated(scope, scopes, "This needs an API key: send Authorization: Bearer <key>.")
    caller = await looked_up(token, address_of(scope)) if token else None
    if caller is None:
        raise unauthenticated(scope, scopes, "The API key is unknown, expired or revoked.", error="invalid_token")
    return caller


async def looked_up(token: str, address: str | None) -> Caller | None:
    """Who holds the key. Raises Answered with 503 when the database is away."""
    try:
        return await authenticate(token, address)
    except (OperationalError, InterfaceError):
        headers = {"Retry-After": "5"}
        raise rpc_error(
            503, "Keys cannot be checked at the moment.", code=types.INTERNAL_ERROR, headers=headers
        ) from None


def unauthenticated(scope: Scope, scopes: Sequence[str], message: str, *, error: str | None = None) -> Answered:
    """401 with the challenge that tells a client where to learn how keys are got."""
    return refused(Unauthenticated(message), _challenge(scope, scopes, error))


def insufficient(scope: Scope, needed: str) -> Answered:
    """403 for a good key that lacks the scope."""
    refusal: Refusal = PermissionDenied(f"The key lacks the scope {needed}.", details={"scope": needed})
    return refused(refusal, _challenge(scope, [needed], "insufficient_scope"))


def _challenge(scope: Scope, scopes: Sequence[str], error: str | None) -> dict[str, str]:
    parts = [f'resource_metadata="{base_url(scope)}{METADATA}{PATH}"']
    if scopes:
        parts.append(f'scope="{" ".join(scopes)}"')
    if error is not None:
        parts.append(f'error="{error}"')
    return {"WWW-Authenticate": f"Bearer {', '.join(parts)}"}


def base_url(scope: Scope) -> str:
    """Where clients reach this server, without a trailing slash: the configured URL, else what the request says."""
    configured = configuration.current().public_url
    if configured:
        return configured.rstrip("/")
    host = Headers(scope=scope).get("host", "")
    return f"{scope.get('scheme', 'http')}://{host}{scope.get('root_path', '')}"


def as_user(caller: Caller) -> AuthenticatedUser | None:
    """The key as the SDK binds sessions to it: one session, one key. The token itself is not handed on."""
    if caller.is_anonymous:
        return None
    return AuthenticatedUser(AccessToken(token="", client_id=str(caller.key_id), subject=caller.subject, scopes=[]))


def require_scope(registry: Registry, caller: Caller, scope: Scope, message: types.JSONRPCMessage) -> None:
    """Raise Answered, 401 or 403, when the message needs a scope that the caller lacks."""
    needed = needed_scope(message, registry)
    if needed is None or needed in caller.scopes:
        return
    if caller.is_anonymous:
        raise unauthenticated(scope, [needed], f"This needs an API key with the scope {needed}.")
    raise insufficient(scope, needed)


def recheck(scope: Scope, caller: Caller) -> Check | None:
    """How an open stream asks whether its key still stands."""
    if caller.is_anonymous:
        return None
    return partial(authenticate, token_of(scope) or "", address_of(scope))


def handed_on(scope: Scope, caller: Caller, exchange: Exchange) -> Scope:
    """The scope as the SDK gets it: with the key that sessions are bound to, without what it must not see."""
    # Without an event store the SDK answers a GET that wants to resume with nothing at all.
    headers = [(name, value) for name, value in scope["headers"] if name not in (b"last-event-id", b"authorization")]
    return {**scope, "headers": headers, "user": as_user(caller), EXCHANGE: exchange}
