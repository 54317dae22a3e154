"""The builders that handlers answer with. Each step returns the builder; `send()` ends it.

A handler may also just return a value: a model, a dict or text. What is built here is the protocol's, so a handler
needs no other import.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NoReturn, Self

import mcp_types as types
from pydantic import BaseModel

from lensproject.core.errors import JSON, InvalidInput

JSON_TYPE = "application/json"


def plain(value: object) -> Any:
    """A model, or what models are nested in, as JSON values."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def to_json(value: object) -> str:
    """Compact JSON, the same text for the same value. Raises TypeError or ValueError for what JSON does not have."""
    return json.dumps(plain(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


class _Builder:
    """What both builders share."""

    def __init__(self) -> None:
        self.result_meta: dict[str, JSON] = {}
        self.sent = False

    def meta(self, key: str, value: JSON) -> Self:
        """Add to the `_meta` of the result, under a key with your own prefix (MCP, `_meta`)."""
        self.result_meta[key] = value
        return self

    def error(self, message: str, details: Mapping[str, JSON] | None = None) -> NoReturn:
        """End the call because of what was asked: INVALID_INPUT of a tool, InvalidParams of a read.

        For another code raise its Refusal.
        """
        raise InvalidInput(message, details=details)


class ToolResponse(_Builder):
    """Builds the result of a tool call (MCP, CallToolResult)."""

    def __init__(self) -> None:
        super().__init__()
        self.content: list[types.ContentBlock] = []
        self.structured_content: Any = None

    def text(self, text: str) -> Self:
        self.content.append(types.TextContent(type="text", text=text))
        return self

    def image(self, data: bytes, mime_type: str = "image/png") -> Self:
        self.content.append(types.ImageContent(type="image", data=_base64(data), mime_type=mime_type))
        return self

    def audio(self, data: bytes, mime_type: str = "audio/mp3") -> Self:
        self.content.append(types.AudioContent(type="audio", data=_base64(data), mime_type=mime_type))
        return self

    def resource(self, uri: str, content: str | bytes, mime_type: str | None = None) -> Self:
        """Embed a resource: text as text, bytes as a blob."""
        embedded = Content(content, mime_type or "").wire(uri, None)
        self.content.append(types.EmbeddedResource(type="resource", resource=embedded))
        return self

    def resource_link(self, uri: str, name: str, **known: Any) -> Self:
        """Name a resource that the client may read; `known` are fields of ResourceLink, such as `description`."""
        self.content.append(types.ResourceLink(type="resource_link", uri=uri, name=name, **known))
        return self

    def structured(self, value: BaseModel | Mapping[str, Any]) -> Self:
        """The structured result; its text copy is added when nothing else says it."""
        self.structured_content = plain(value)
        return self

    def send(self, result: object = None) -> Self:
        """End the answer; `result`, when given, replaces what was built. A second `send` changes nothing."""
        if not self.sent and result is not None:
            self.content, self.structured_content = [], None
            self.take(result)
        self.sent = True
        return self

    def take(self, value: object) -> None:
        """Fill from what a handler returned in place of building: a model, a dict, or text."""
        if isinstance(value, str):
            self.text(value)
        elif isinstance(value, (BaseModel, Mapping)):
            self.structured(value)
        elif value is not None and value is not self:
            raise TypeError(f"a tool handler answered {type(value).__name__}")

    def result(self) -> types.CallToolResult:
        """The wire result, with a text copy of the structured content."""
        content = self.content
        if self.structured_content is not None and not content:
            content = [types.TextContent(type="text", text=to_json(self.structured_content))]
        return types.CallToolResult(
            content=content, structured_content=self.structured_content, is_error=False, _meta=self.result_meta or None
        )


@dataclass(frozen=True)
class Content:
    """One content of a resource: text or bytes, and what kind."""

    data: str | bytes
    mime_type: str

    @property
    def body(self) -> bytes:
        return self.data.encode() if isinstance(self.data, str) else self.data

    def wire(self, uri: str, meta: dict[str, Any] | None) -> types.TextResourceContents | types.BlobResourceContents:
        mime_type = self.mime_type or None
        if isinstance(self.data, str):
            return types.TextResourceContents(uri=uri, mime_type=mime_type, text=self.data, _meta=meta)
        return types.BlobResourceContents(uri=uri, mime_type=mime_type, blob=_base64(self.data), _meta=meta)


@dataclass(frozen=True)
class Rendered:
    """What a resource is now. `modified` is set when the payload itself says from when it is."""

    contents: tuple[Content, ...]
    modified: datetime | None = None
    meta: Mapping[str, JSON] = field(default_factory=dict)


class ResourceResponse(_Builder):
    """Builds the contents of a resource (MCP, ReadResourceResult). `mime_type` is the registered one."""

    def __init__(self, mime_type: str = "text/plain") -> None:
        super().__init__()
        self.mime_type = mime_type
        self.contents: list[Content] = []
        self.changed_at: datetime | None = None

    def text(self, text: str, mime_type: str | None = None) -> Self:
        return self._add(text, mime_type or self.mime_type)

    def json(self, value: object, mime_type: str | None = None) -> Self:
        """Compact JSON of a model, dict or list: the same bytes for the same value."""
        return self._add(to_json(value), mime_type or (self.mime_type if "json" in self.mime_type else JSON_TYPE))

    def blob(self, data: bytes, mime_type: str | None = None) -> Self:
        return self._add(data, mime_type or "application/octet-stream")

    def image(self, data: bytes, mime_type: str = "image/png") -> Self:
        return self._add(data, mime_type)

    def audio(self, data: bytes, mime_type: str = "audio/mp3") -> Self:
        return self._add(data, mime_type)

    def modified(self, at: datetime) -> Self:
        """The payload is from this instant, and that is its lastModified."""
        self.changed_at = at
        return self

    def _add(self, data: str | bytes, mime_type: str) -> Self:
        if not self.sent:
            self.contents.append(Content(data, mime_type))
        return self

    def send(self, result: object = None) -> Self:
        """End the answer; `result`, when given, replaces what was built. A second `send` changes nothing."""
        if not self.sent and result is not None:
            self.contents = []
            self.take(result)
        self.sent = True
        return self

    def take(self, value: object) -> None:
        """Fill from what a handler returned in place of building: text, bytes, or what becomes JSON."""
        if isinstance(value, str):
            self.text(value)
        elif isinstance(value, bytes):
            # Bytes of a text type are the text verbatim; `lens://openapi.json` is a file served this way.
            self._add(_verbatim(value, self.mime_type), self.mime_type)
        elif isinstance(value, (BaseModel, Mapping, list)):
            self.json(value)
        elif value is not None and value is not self:
            raise TypeError(f"a resource handler answered {type(value).__name__}")

    def rendered(self) -> Rendered:
        """What was built. Raises ValueError when that is nothing."""
        if not self.contents:
            raise ValueError("a resource handler answered nothing")
        return Rendered(tuple(self.contents), self.changed_at, self.result_meta)


def _verbatim(data: bytes, mime_type: str) -> str | bytes:
    if mime_type.startswith("text/") or mime_type.split(";")[0].endswith(("json", "xml", "yaml")):
        return data.decode("utf-8")
    return data


def _base64(data: bytes) -> str:
    return b64encode(data).decode("ascii")
