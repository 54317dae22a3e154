"""`DATABASE_URL` read into Django's DATABASES, for SQLite and PostgreSQL and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

# WAL lets readers go on while one writes; FULL because a receipt that was answered must survive a power cut.
SQLITE_START = "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;"
BUSY_SECONDS = 20


@dataclass(frozen=True)
class DatabaseUrl:
    """A parsed database URL. Its repr has no password."""

    engine: str
    name: str
    user: str = ""
    password: str = field(default="", repr=False)
    host: str = ""
    port: str = ""

    @classmethod
    def parse(cls, text: str) -> DatabaseUrl:
        """`sqlite:///relative`, `sqlite:////absolute`, `postgres://user:password@host:port/name[?host=/socket]`."""
        parts = urlsplit(text)
        if parts.scheme == "sqlite":
            return cls("sqlite", _required(unquote(parts.path).removeprefix("/")))
        if parts.scheme not in ("postgres", "postgresql"):
            raise ValueError("must begin with sqlite:// or postgres://")
        query = dict(parse_qsl(parts.query))
        if set(query) - {"host", "port"}:
            raise ValueError("knows the parameters host and port only")
        return cls(
            "postgresql",
            _required(unquote(parts.path).removeprefix("/")),
            unquote(parts.username or ""),
            unquote(parts.password or ""),
            query.get("host", parts.hostname or ""),
            query.get("port", str(parts.port or "")),
        )

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(lambda v: v if isinstance(v, cls) else cls.parse(str(v)))

    def django(self, *, pool_max: int) -> dict[str, Any]:
        """The `default` entry of Django's DATABASES."""
        if self.engine == "sqlite":
            options: dict[str, Any] = {
                "transaction_mode": "IMMEDIATE",
                "timeout": BUSY_SECONDS,
                "init_command": SQLITE_START,
            }
            return {"ENGINE": "django.db.backends.sqlite3", "NAME": self.name, "OPTIONS": options, "CONN_MAX_AGE": 0}
        return {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": self.name,
            "USER": self.user,
            "PASSWORD": self.password,
            "HOST": self.host,
            "PORT": self.port,
            "CONN_MAX_AGE": 0,
            "CONN_HEALTH_CHECKS": True,
            "OPTIONS": {
                "pool": {"min_size": 1, "max_size": pool_max, "timeout": 10},
                "options": "-c lock_timeout=10s -c statement_timeout=60s",
                "connect_timeout": 5,
            },
        }


def sqlite_file(path: Path) -> DatabaseUrl:
    """SQLite in a file."""
    return DatabaseUrl("sqlite", str(path))


def _required(name: str) -> str:
    if not name:
        raise ValueError("names no database")
    return name
