"""`/.well-known/oauth-protected-resource`: where keys for this server come from (RFC 9728, MCP Authorization)."""

from __future__ import annotations

from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from mcp_bridge import configuration
from mcp_bridge.registry import registry
from mcp_bridge.transports.access import PATH, base_url
from mcp_bridge.transports.endpoint import endpoint


async def _metadata(scope: Scope, receive: Receive, send: Send) -> None:
    about = configuration.current()
    document = {
        "resource": f"{base_url(scope)}{PATH}",
        "resource_name": about.title,
        "authorization_servers": list(about.authorization_servers) or [base_url(scope)],
        "scopes_supported": list(registry.scopes),
        "bearer_methods_supported": ["header"],
    }
    await JSONResponse(document, headers={"Cache-Control": "max-age=3600"})(scope, receive, send)


metadata_endpoint = endpoint(_metadata, "GET")
