"""Who asks: the one object that every door makes from a credential and that services are given."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from lensproject.core.errors import PermissionDenied, Unauthenticated

READ = "read"
PAY = "pay"
CATALOG_WRITE = "catalog:write"
FACILITATOR = "facilitator"
SCOPES = (READ, PAY, CATALOG_WRITE, FACILITATOR)


@dataclass(frozen=True)
class Caller:
    """Who asks, with which scopes, on which networks; what a session adds is filled in by the MCP bridge.

    `account` is whatever the authentication of the project attached (payments attaches the key's agent).
    """

    subject: str
    key_id: str | None = None
    scopes: frozenset[str] = frozenset()
    networks: frozenset[str] = frozenset()
    expires_at: datetime | None = None
    account: object | None = field(default=None, compare=False)
    session: str | None = None
    client_name: str | None = None
    client_version: str | None = None
    transport: str | None = None
    protocol_version: str | None = None
    try_out: bool = False

    @property
    def is_anonymous(self) -> bool:
        return self.key_id is None

    def require(self, scope: str) -> None:
        """Refuse unless the caller has the scope. Raises Unauthenticated without a key, else PermissionDenied."""
        if scope in self.scopes:
            return
        if self.is_anonymous:
            raise Unauthenticated("This needs an API key.", details={"scope": scope})
        raise PermissionDenied(f"The key lacks the scope {scope}.", details={"scope": scope})


ANONYMOUS = Caller(subject="anonymous")
