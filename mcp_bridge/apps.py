from __future__ import annotations

from django.apps import AppConfig
from django.core import checks
from django.utils.module_loading import autodiscover_modules

from lensproject.core import versions


class McpBridgeConfig(AppConfig):
    """The MCP bridge as a Django app: capabilities, sessions and the change log."""

    name = "mcp_bridge"
    label = "mcp_bridge"
    verbose_name = "MCP"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Find what the apps offer, in the `mcp` module of each, as Django finds `admin`."""
        from mcp_bridge import changes
        from mcp_bridge.freshness import BridgeVersions
        from mcp_bridge.registry import registry
        from mcp_bridge.registry.checks import check_http_timeout, check_offer

        changes.connect()
        autodiscover_modules("mcp")
        versions.provide(BridgeVersions(registry))
        checks.register(check_offer, "mcp_bridge")
        checks.register(check_http_timeout, "mcp_bridge")
