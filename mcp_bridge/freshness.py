"""What a resource is now: its bytes, their version, and when it last changed, true at one and the same moment.

`version` is `sha256:` over the exact bytes. lastModified comes from the change log (`topics`), from the source
(`modified`), or from the payload itself (`response.modified`). Payloads of topics are kept under their generation, so
a list that resolves all of them costs one statement each.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from asgiref.sync import async_to_sync

from lensproject.core import pool
from lensproject.core.callers import Caller
from lensproject.core.errors import JSON, NotFound
from lensproject.core.versions import Versioned
from mcp_bridge.changes import Kept, generation, read_through
from mcp_bridge.registry import Registry, Resource
from mcp_bridge.request import RequestContext, ResourceRequest
from mcp_bridge.response import Content, Rendered, ResourceResponse

KEPT_BYTES = 32 * 1024 * 1024


def version_of(body: bytes) -> str:
    """`sha256:<hex>` of the exact bytes."""
    return f"sha256:{sha256(body).hexdigest()}"


@dataclass(frozen=True)
class Snapshot:
    """A resource at one moment. `size` and `version` are over all contents, one after the other."""

    contents: tuple[Content, ...]
    version: str
    size: int
    last_modified: datetime | None
    meta: Mapping[str, JSON]

    @classmethod
    def of(cls, rendered: Rendered, last_modified: datetime | None) -> Snapshot:
        body = b"".join(content.body for content in rendered.contents)
        changed = rendered.modified or last_modified
        return cls(rendered.contents, version_of(body), len(body), changed, rendered.meta)


def _weight(rendered: Rendered) -> int:
    return sum(len(content.data) for content in rendered.contents)


kept: Kept[Rendered] = Kept(weight=KEPT_BYTES, weigh=_weight)


def look_now(resource: Resource, request: ResourceRequest) -> Snapshot:
    """What a resource with a plain handler is now. A database step: call it in a thread."""
    if resource.topics:
        return _from_rows(resource, request)
    changed = _changed(resource, request)
    rendered = _render(resource, request)
    if _settled(rendered, changed, lambda: _changed(resource, request)):
        return Snapshot.of(rendered, changed)
    changed = _changed(resource, request)
    return Snapshot.of(_render(resource, request), changed)


async def look(resource: Resource, request: ResourceRequest) -> Snapshot:
    """What a resource is now. A plain handler runs in the pool, a coroutine here."""
    if not resource.is_async:
        return await pool.read(look_now, resource, request)
    changed = await pool.read(_changed, resource, request)
    rendered = await _render_async(resource, request)
    later = await pool.read(_changed, resource, request)
    if _settled(rendered, changed, lambda: later):
        return Snapshot.of(rendered, changed)
    return Snapshot.of(await _render_async(resource, request), later)


def _from_rows(resource: Resource, request: ResourceRequest) -> Snapshot:
    reader: Hashable = (request.caller.subject, request.caller.key_id) if resource.private else None
    fresh = read_through(
        kept,
        (resource, reader),
        lambda: _render(resource, request),
        topics=resource.topics,
        keys=resource.keys(request),
    )
    return Snapshot.of(fresh.value, fresh.last_modified)


def _changed(resource: Resource, request: ResourceRequest) -> datetime | None:
    return None if resource.modified is None else resource.modified(request)


def _settled(rendered: Rendered, before: datetime | None, after: Callable[[], datetime | None]) -> bool:
    """Whether the source stood still while it was read; a payload that says from when it is needs no second look."""
    return rendered.modified is not None or before == after()


def _render(resource: Resource, request: ResourceRequest) -> Rendered:
    response = ResourceResponse(resource.mime_type)
    response.take(resource.handler(request, response))
    return response.rendered()


async def _render_async(resource: Resource, request: ResourceRequest) -> Rendered:
    response = ResourceResponse(resource.mime_type)
    response.take(await resource.handler(request, response))  # type: ignore[misc]  # is_async says so
    return response.rendered()


class BridgeVersions:
    """What the REST door asks for, so that its ETag and Last-Modified are those of MCP
    (`lensproject.core.versions`).
    """

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def read(self, uri: str, caller: Caller) -> Versioned:
        """The resource as an MCP client would read it. Raises NotFound, and what `caller.require` raises."""
        resource = self._registry.resource(uri)
        if resource is None:
            raise NotFound("There is no such resource.", details={"uri": uri})
        if resource.scope is not None:
            caller.require(resource.scope)
        context = RequestContext.current()
        request = ResourceRequest(params={}, uri=uri, definition=resource, caller=caller, context=context)
        snapshot = async_to_sync(look)(resource, request) if resource.is_async else look_now(resource, request)
        body = b"".join(content.body for content in snapshot.contents)
        return Versioned(body, snapshot.contents[0].mime_type, snapshot.version, snapshot.last_modified)

    def last_modified(self, topics: Sequence[str], keys: Sequence[str] | None = None) -> datetime | None:
        """When the rows behind last changed. One statement."""
        return generation(topics, keys).last_modified
