"""Who may speak to the MCP endpoints at all: Host and Origin, checked before anything else.

A page in a browser can be made to call a server on its user's machine under a name that the attacker owns (DNS
rebinding); then the Host header names the attacker's domain, or the Origin is foreign. Django's middleware does not
run for raw ASGI endpoints, so the checks are made here, from ALLOWED_HOSTS and the allowed origins.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from django.conf import settings
from django.http.request import split_domain_port, validate_host
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import Message, Scope, Send

from mcp_bridge import configuration
from mcp_bridge.transports.errors import Answered, rpc_error

ALLOWED_REQUEST_HEADERS = (
    "Content-Type, Accept, Authorization, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID"
)
EXPOSED_HEADERS = "Mcp-Session-Id, WWW-Authenticate"
PREFLIGHT_SECONDS = "600"


def checked_origin(scope: Scope, methods: str) -> str | None:
    """The Origin to answer to, None without one.

    Raises Answered: 421 for a Host that is not ours, 403 for an Origin that is not allowed, 204 for a preflight.
    """
    headers = Headers(scope=scope)
    hosts = headers.getlist("host")
    if len(hosts) != 1 or not _is_ours(hosts[0]):
        raise rpc_error(421, "This server does not answer to that Host.")
    origins = headers.getlist("origin")
    if len(origins) > 1 or (origins and not _is_allowed(origins[0], hosts[0])):
        raise rpc_error(403, "Pages of that Origin may not call this server.")
    origin = origins[0] if origins else None
    if scope["method"] == "OPTIONS":
        raise Answered(_preflight(origin, methods, headers.get("access-control-request-headers", "")))
    return origin


def with_cors(send: Send, origin: str | None) -> Send:
    """Let the page of an allowed Origin read the answer."""
    if origin is None:
        return send

    async def wrapped(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(raw=list(message["headers"]))
            _allow(headers, origin)
            message = {**message, "headers": headers.raw}
        await send(message)

    return wrapped


def _allow(headers: MutableHeaders, origin: str) -> None:
    headers["Access-Control-Allow-Origin"] = origin
    headers["Access-Control-Expose-Headers"] = EXPOSED_HEADERS
    headers.add_vary_header("Origin")


def _preflight(origin: str | None, methods: str, asked: str) -> Response:
    response = Response(status_code=204, headers={"Allow": methods})
    if origin is not None:
        _allow(response.headers, origin)
        response.headers["Access-Control-Allow-Methods"] = methods
        # Names of Mcp-Param-… come from the tools' schemas, so those that are asked for are allowed.
        parameters = [name.strip() for name in asked.split(",") if name.strip().lower().startswith("mcp-param-")]
        response.headers["Access-Control-Allow-Headers"] = ", ".join([ALLOWED_REQUEST_HEADERS, *parameters])
        response.headers["Access-Control-Max-Age"] = PREFLIGHT_SECONDS
    return response


def allowed_hosts() -> Sequence[str]:
    """ALLOWED_HOSTS as Django reads it: empty means this machine while debugging."""
    hosts: Sequence[str] = settings.ALLOWED_HOSTS
    return hosts or ([".localhost", "127.0.0.1", "[::1]"] if settings.DEBUG else [])


def _is_ours(host: str) -> bool:
    domain, _ = split_domain_port(host)
    return bool(domain) and validate_host(domain, allowed_hosts())


def _is_allowed(origin: str, host: str) -> bool:
    """Listed, or a page of a host that is ours. `*` in ALLOWED_HOSTS opens the server to all names, not all pages."""
    if origin in configuration.current().mcp_allowed_origins:
        return True
    try:
        parts = urlsplit(origin)
    except ValueError:  # `http://[`
        return False
    if parts.scheme not in ("http", "https") or parts.path or parts.query:
        return False
    if parts.netloc == host:
        return True
    domain, _ = split_domain_port(parts.netloc)
    named = [pattern for pattern in allowed_hosts() if pattern != "*"]
    return bool(domain) and validate_host(domain, named)
