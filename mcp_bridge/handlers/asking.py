"""From the SDK's context to what our handlers are given: who asks, through what, and the request object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

from lensproject.core.callers import Caller
from mcp_bridge import configuration
from mcp_bridge.registry import Capability, Group
from mcp_bridge.request import EXCHANGE, Exchange, RequestContext, ServerIdentity

Context: TypeAlias = ServerRequestContext[Any, Any]


class Asking:
    """Knows who asks when no transport says so: `exchange` stands for calls in memory."""

    def __init__(self, exchange: Exchange | None = None) -> None:
        self._exchange = exchange or Exchange()

    def exchange(self, ctx: Context) -> Exchange:
        """What the transport wrote into the ASGI scope of the HTTP request that brought the message."""
        found = None if ctx.request is None else ctx.request.scope.get(EXCHANGE)
        return found if isinstance(found, Exchange) else self._exchange

    def caller(self, ctx: Context) -> Caller:
        """The key's caller with session, client, transport and protocol version filled in."""
        exchange = self.exchange(ctx)
        params = ctx.session.client_params
        client = None if params is None else params.client_info
        return replace(
            exchange.caller,
            session=exchange.session,
            client_name=None if client is None else client.name,
            client_version=None if client is None else client.version,
            transport=exchange.transport,
            protocol_version=ctx.protocol_version,
        )

    async def watch(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Middleware: tell the exchange when the handler begins and ends, so that its id is free only then."""
        exchange = self.exchange(ctx)
        if ctx.request_id is None:
            return await call_next(ctx)
        exchange.begin()
        try:
            return await call_next(ctx)
        finally:
            exchange.end()


def common(ctx: Context, capability: Capability, group: Group, caller: Caller) -> dict[str, Any]:
    """The fields that every request object has."""
    meta = (ctx.params or {}).get("_meta")
    return {
        "definition": capability,
        "server": ServerIdentity(group.name, group.title, configuration.current().version),
        "caller": caller,
        "meta": meta if isinstance(meta, Mapping) else {},
        "context": RequestContext.current(),
        "reporter": ctx.session.report_progress,
    }
