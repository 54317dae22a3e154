"""What an app offers: a tool or a resource, as the registry keeps it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from inspect import iscoroutinefunction
from typing import Any, TypeAlias

from jsonschema import Draft202012Validator
from pydantic import BaseModel, ConfigDict

from lensproject.core.callers import Caller
from mcp_bridge.registry import schemas
from mcp_bridge.request import ResourceRequest

logger = logging.getLogger(__name__)

Text: TypeAlias = "str | Callable[[], str]"
Handler: TypeAlias = Callable[[Any, Any], object]
ChangeKey: TypeAlias = "str | Callable[[ResourceRequest], str] | None"


class NoInput(BaseModel):
    """The input of a tool that takes none."""

    model_config = ConfigDict(extra="forbid")


@dataclass(frozen=True, kw_only=True)
class Group:
    """A named group of capabilities, which the hub shows and switches as one."""

    name: str
    title: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Capability:
    """What tools and resources share. `scope` None: whoever may connect may use it."""

    server: str
    name: str
    description: Text
    handler: Handler
    title: str | None = None
    scope: str | None = None

    def describe(self) -> str:
        """The description, asked for when it is a function; one that fails does not break the list."""
        if isinstance(self.description, str):
            return self.description
        try:
            return self.description()
        except Exception:
            logger.exception("the description of %s failed", self.name)
            return self.title or self.name

    def is_for(self, caller: Caller) -> bool:
        """Whether the caller may use it, so that lists show it."""
        return self.scope is None or self.scope in caller.scopes

    @cached_property
    def is_async(self) -> bool:
        return iscoroutinefunction(self.handler)


@dataclass(frozen=True, kw_only=True, eq=False)
class Tool(Capability):
    """A function for agents.

    `input` must forbid unknown fields; values are checked strictly before the handler runs. `output` is the model of
    `structuredContent`; without it the tool answers text. The hints default as in the protocol (MCP,
    ToolAnnotations), and are promises that the tool's tests must hold.
    """

    input: type[BaseModel] = NoInput
    output: type[BaseModel] | None = None
    read_only: bool = False
    destructive: bool = True
    idempotent: bool = False
    open_world: bool = True

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        return schemas.of_input(self.input)

    @cached_property
    def output_schema(self) -> dict[str, Any] | None:
        return None if self.output is None else schemas.of_output(self.output)

    @cached_property
    def result_check(self) -> Draft202012Validator | None:
        """Checks what a handler answered: it must be the result of the output schema, never its error."""
        return None if self.output is None else Draft202012Validator(schemas.of_result(self.output))


@dataclass(frozen=True, kw_only=True, eq=False)
class Resource(Capability):
    """Read-only content at a fixed URI.

    What is known of its changes: `topics` (and `key`) of the change log, which also keeps the payload until one
    comes; or `modified`, which says when the source changed, such as a file's mtime; or nothing, and then no
    lastModified is reported. `private`: the payload depends on who asks. `ttl_ms`: how long a client may take its
    copy for fresh without asking.
    """

    uri: str
    mime_type: str = "text/plain"
    topics: Sequence[str] = ()
    key: ChangeKey = None
    modified: Callable[[ResourceRequest], datetime | None] | None = None
    private: bool = False
    ttl_ms: int = 0

    def keys(self, request: ResourceRequest) -> tuple[str, ...] | None:
        """The keys of the topics that the payload rests on; None for all of them."""
        if self.key is None:
            return None
        return (self.key if isinstance(self.key, str) else self.key(request),)
