"""The ASGI application, for Daphne and uvicorn alike: MCP endpoints as they are, everything else Django's."""

from __future__ import annotations

import os

from channels.routing import ProtocolTypeRouter, URLRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lensproject.settings")
django = get_asgi_application()

from mcp_bridge.transports import Front, routes  # noqa: E402  # needs the apps

application = Front(ProtocolTypeRouter({"http": URLRouter(routes(django))}))
