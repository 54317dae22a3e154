"""What stands before the router: lifespan, the root path that no client may choose, and no websockets."""

from __future__ import annotations

import logging

from django.conf import settings
from starlette.types import ASGIApp, Receive, Scope, Send

from mcp_bridge.registry import registry
from mcp_bridge.transports.state import host

logger = logging.getLogger(__name__)


class Front:
    """Wraps the whole application. Raises ImproperlyConfigured when what is offered contradicts itself."""

    def __init__(self, application: ASGIApp) -> None:
        registry.refuse_problems()
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1000})
        else:
            await self._application(_rooted(scope), receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        """Start the host before the first request and end it after the last, where the server says when that is."""
        await receive()
        try:
            await host.state()
        except Exception as error:
            await send({"type": "lifespan.startup.failed", "message": str(error)})
            return
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await host.aclose()
        await send({"type": "lifespan.shutdown.complete"})


def _rooted(scope: Scope) -> Scope:
    """The scope with Django's script name as root path, and a path under it whether or not the proxy has cut it off.

    Daphne takes the root path from a header that any client may send, and the router fails on one that does not fit.
    """
    prefix = (settings.FORCE_SCRIPT_NAME or "").rstrip("/")
    path: str = scope["path"]
    under = path == prefix or path.startswith(f"{prefix}/")
    return {**scope, "root_path": prefix, "path": path if under else f"{prefix}{path}"}
