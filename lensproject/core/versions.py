"""The seam between REST and the MCP bridge: what a resource is now, in bytes, with its version and when it changed.

REST must answer with the `ETag` and `Last-Modified` that the MCP bridge reports, and may not import the bridge. The
bridge provides itself here when it starts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from lensproject.core.callers import Caller


@dataclass(frozen=True)
class Versioned:
    """The exact bytes of a resource, `version` = `sha256:<hex>` over them, and the newest change of the rows behind."""

    body: bytes
    mime_type: str
    version: str
    last_modified: datetime | None


class Versions(Protocol):
    """What the bridge offers to the other doors. Synchronous: each call is one short database step."""

    def read(self, uri: str, caller: Caller) -> Versioned:
        """The resource as an MCP client would read it. Raises NotFound for an unknown URI."""
        ...

    def last_modified(self, topics: Sequence[str], keys: Sequence[str] | None = None) -> datetime | None:
        """When the rows of these topics (or these keys of them) last changed; None when never."""
        ...


_provided: list[Versions] = []


def provide(versions: Versions) -> None:
    """Called once by the bridge."""
    _provided[:] = [versions]


def current() -> Versions:
    """The provider. Raises LookupError when no bridge is installed."""
    if not _provided:
        raise LookupError("no MCP bridge is installed to say what a resource's version is")
    return _provided[0]
