"""Resources: the list, resolved so that it says what is true now, and a read. Both tell of the same state alike."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, Final, Literal, TypeAlias

import mcp_types as types
from mcp.shared.exceptions import MCPError

from lensproject.core import clock, pool
from lensproject.core.callers import Caller
from lensproject.core.errors import NotFound, Refusal
from mcp_bridge import configuration, freshness
from mcp_bridge.freshness import Snapshot
from mcp_bridge.handlers import faults
from mcp_bridge.handlers.asking import Asking, Context, common
from mcp_bridge.handlers.calling import LIST_TTL_MS
from mcp_bridge.handlers.cursors import page
from mcp_bridge.registry import Registry, Resource
from mcp_bridge.request import ResourceRequest


class ResourceHandlers:
    """`resources/list`, `resources/templates/list` and `resources/read` over a registry."""

    def __init__(self, registry: Registry, asking: Asking) -> None:
        self._registry = registry
        self._asking = asking

    async def list_resources(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """The resources that the caller may read, in order of their URIs, each with what is true of it now."""
        caller = self._asking.caller(ctx)
        resources = [resource for resource in self._registry.resources if resource.is_for(caller)]
        cursor = params.cursor if params else None
        size = configuration.current().page_size
        shown, after = page(
            resources, lambda resource: resource.uri, name="resources", caller=caller, cursor=cursor, size=size
        )
        entries = [_entry(resource, found) for resource, found in await self._look(ctx, shown, caller) if found != GONE]
        # Versions move at any moment, so a copy is stale at once.
        return types.ListResourcesResult(resources=entries, next_cursor=after, ttl_ms=0, cache_scope="private")

    async def list_templates(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        """The templates that the caller may use, in order of registration."""
        cursor = params.cursor if params else None
        caller = self._asking.caller(ctx)
        page([], str, name="templates", caller=caller, cursor=cursor, size=configuration.current().page_size)
        return types.ListResourceTemplatesResult(resource_templates=[], ttl_ms=LIST_TTL_MS, cache_scope="private")

    async def read(self, ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        """The bytes at a URI, with their version. Every failure is a protocol error."""
        uri = str(params.uri)
        resource = self._registry.resource(uri)
        if resource is None:
            raise MCPError(types.INVALID_PARAMS, "Resource not found", {"uri": uri})
        caller = self._asking.caller(ctx)
        try:
            if resource.scope is not None:
                caller.require(resource.scope)
            snapshot = await freshness.look(resource, self._request(ctx, resource, caller))
        except Refusal as refusal:
            raise faults.read_error(uri, refusal) from None
        except MCPError:
            raise
        except Exception as error:
            raise faults.read_error(uri, faults.masked(f"resource {uri}", error)) from None
        return _result(resource, snapshot)

    def _request(self, ctx: Context, resource: Resource, caller: Caller) -> ResourceRequest:
        group = self._registry.group(resource.server)
        ended = threading.Event()
        return ResourceRequest(params={}, uri=resource.uri, ended=ended, **common(ctx, resource, group, caller))

    async def _look(self, ctx: Context, resources: Sequence[Resource], caller: Caller) -> list[tuple[Resource, Found]]:
        """What each is now. All plain handlers run as one step, since most of them answer from what is kept."""
        requests = [(resource, self._request(ctx, resource, caller)) for resource in resources]
        plain = await pool.read(_look_all, [pair for pair in requests if not pair[0].is_async])
        return [
            (resource, await _found_async(resource, request) if resource.is_async else plain[resource.uri])
            for resource, request in requests
        ]


GONE: Final = "gone"
"""A read would say that there is no such resource, so the list does not show it."""

Found: TypeAlias = "Snapshot | Literal['gone'] | None"
"""None: the source fails, which must not break the list; nothing is then said of its freshness."""


def _look_all(pairs: Sequence[tuple[Resource, ResourceRequest]]) -> dict[str, Found]:
    return {resource.uri: _found(resource, request) for resource, request in pairs}


def _found(resource: Resource, request: ResourceRequest) -> Found:
    try:
        return freshness.look_now(resource, request)
    except Exception as error:
        return _failed(resource, error)


async def _found_async(resource: Resource, request: ResourceRequest) -> Found:
    try:
        return await freshness.look(resource, request)
    except Exception as error:
        return _failed(resource, error)


def _failed(resource: Resource, error: Exception) -> Found:
    if isinstance(error, NotFound):
        return GONE
    if not isinstance(error, Refusal):
        faults.masked(f"listing {resource.uri}", error)
    return None


def _entry(resource: Resource, snapshot: Snapshot | None) -> types.Resource:
    changed = None if snapshot is None or snapshot.last_modified is None else clock.iso(snapshot.last_modified)
    return types.Resource(
        uri=resource.uri,
        name=resource.name,
        title=resource.title,
        description=resource.describe(),
        mime_type=resource.mime_type if snapshot is None else snapshot.contents[0].mime_type,
        size=None if snapshot is None else snapshot.size,
        annotations=None if changed is None else types.Annotations(last_modified=changed),
        _meta=None if snapshot is None else known(snapshot.version, changed),
    )


def _result(resource: Resource, snapshot: Snapshot) -> types.ReadResourceResult:
    changed = None if snapshot.last_modified is None else clock.iso(snapshot.last_modified)
    contents = [
        content.wire(resource.uri, known(freshness.version_of(content.body), changed)) for content in snapshot.contents
    ]
    shared = not resource.private and resource.scope is None and configuration.current().anonymous_reading
    return types.ReadResourceResult(
        contents=contents,
        ttl_ms=resource.ttl_ms,
        cache_scope="public" if shared else "private",
        _meta={**snapshot.meta, **known(snapshot.version, changed)},
    )


def known(version: str, changed: str | None) -> dict[str, Any]:
    """`_meta`: the keys as clients of Lens know them, and under our own prefix as the protocol asks."""
    prefix = configuration.current().meta_prefix
    meta = {"version": version, f"{prefix}version": version}
    if changed is not None:
        meta |= {"lastModified": changed, f"{prefix}lastModified": changed}
    return meta
