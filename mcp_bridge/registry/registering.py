"""How an app offers something: functions and decorators, called in its `mcp` module.

    @tool("shop", name="find_book", description="…", input=FindBook, output=Books, scope="read", read_only=True)
    def find_book(request: ToolRequest[FindBook], response: ToolResponse) -> Books: ...

    @resource("shop", uri="shop://hours", name="hours", description="…", topics=("shop.hours",))
    def hours(request: ResourceRequest, response: ResourceResponse) -> dict[str, str]: ...

The first argument names the group; without it the group is the app's label. A handler is `(request, response)`, sync or
async; it answers with what it built on `response`, or just returns a value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Required, TypedDict, TypeVar, Unpack

from pydantic import BaseModel

from mcp_bridge.registry.definitions import ChangeKey, Handler, Resource, Text, Tool
from mcp_bridge.registry.store import Registry, label_of
from mcp_bridge.request import ResourceRequest

registry = Registry()
"""What the installed apps offer; filled when Django is ready."""

H = TypeVar("H", bound=Handler)


class ToolOptions(TypedDict, total=False):
    """What may be said of a tool; `registry.definitions.Tool` says what each means and its default."""

    name: Required[str]
    description: Required[Text]
    title: str | None
    input: type[BaseModel]
    output: type[BaseModel] | None
    scope: str | None
    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool


class ResourceOptions(TypedDict, total=False):
    """What may be said of a resource; `registry.definitions.Resource` says what each means and its default."""

    uri: Required[str]
    description: Required[Text]
    name: str
    title: str | None
    mime_type: str
    scope: str | None
    topics: Sequence[str]
    key: ChangeKey
    modified: Callable[[ResourceRequest], datetime | None] | None
    private: bool
    ttl_ms: int


def add_tool(
    server: str | None,
    *,
    handler: Handler,
    replace: bool = False,
    to: Registry = registry,
    **options: Unpack[ToolOptions],
) -> None:
    """Offer a tool. `replace`: take the place of the one that has this name."""
    to.add(Tool(server=server or label_of(handler), handler=handler, **options), replace=replace)


def add_resource(
    server: str | None,
    *,
    handler: Handler,
    replace: bool = False,
    to: Registry = registry,
    **options: Unpack[ResourceOptions],
) -> None:
    """Offer a resource at a fixed URI. `replace`: take over the URI, with its name and shape, from who has it."""
    options.setdefault("name", options["uri"])
    to.add(Resource(server=server or label_of(handler), handler=handler, **options), replace=replace)


def tool(
    server: str | None = None, *, replace: bool = False, to: Registry = registry, **options: Unpack[ToolOptions]
) -> Callable[[H], H]:
    """`add_tool` as a decorator."""

    def offer(handler: H) -> H:
        add_tool(server, handler=handler, replace=replace, to=to, **options)
        return handler

    return offer


def resource(
    server: str | None = None, *, replace: bool = False, to: Registry = registry, **options: Unpack[ResourceOptions]
) -> Callable[[H], H]:
    """`add_resource` as a decorator."""

    def offer(handler: H) -> H:
        add_resource(server, handler=handler, replace=replace, to=to, **options)
        return handler

    return offer
