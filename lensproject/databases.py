"""`DATABASE_URL` read into Django's DATABASES, for SQLite and PostgreSQL and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from lensproject.setting_types import parsed_url

# WAL lets readers go on while one writes; FULL because a receipt that was answered must survive a power cut.
SQLITE_START = "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA recursive_triggers=ON;"
BUSY_SECONDS = 20
# How long a request waits for a connection, and how long the pool tries by itself with ever longer pauses. By its
# default of 300 s a database that comes back is found up to two minutes late; given up, the next request tries at once.
POOL_SECONDS = {"timeout": 5, "reconnect_timeout": 3}
TLS = ("sslmode", "sslrootcert", "sslcert", "sslkey")


@dataclass(frozen=True)
class DatabaseUrl:
    """A parsed database URL. Its repr has no password."""

    engine: str
    name: str
    user: str = ""
    password: str = field(default="", repr=False)
    host: str = ""
    port: str = ""
    tls: tuple[tuple[str, str], ...] = ()

    @classmethod
    def parse(cls, text: str) -> DatabaseUrl:
        """`sqlite:///relative`, `sqlite:////absolute`, or `postgres://user:password@host:port/name` with the parameters
        host (a socket's folder), port, sslmode, sslrootcert, sslcert, sslkey. Raises ValueError without the text.
        """
        parts = parsed_url(text)
        if parts.scheme == "sqlite":
            return cls._sqlite(parts)
        if parts.scheme not in ("postgres", "postgresql"):
            raise ValueError("must begin with sqlite:// or postgres://")
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        if set(query) - {"host", "port", *TLS}:
            raise ValueError(f"knows the parameters host, port, {', '.join(TLS)} only")
        return cls(
            "postgresql",
            _name(parts),
            unquote(parts.username or ""),
            unquote(parts.password or ""),
            query.get("host", unquote(parts.hostname or "")),
            query.get("port", str(parts.port or "")),
            tuple((name, query[name]) for name in TLS if name in query),
        )

    @classmethod
    def _sqlite(cls, parts: SplitResult) -> DatabaseUrl:
        if parts.netloc:
            raise ValueError("has three slashes before a relative path and four before an absolute one")
        if parts.query or parts.fragment:
            raise ValueError("takes no parameters for SQLite; percent-encode ? and # in a path")
        name = _name(parts)
        if name == ":memory:":
            raise ValueError("needs a file for SQLite: in memory each thread would have a database of its own")
        return cls("sqlite", name)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(lambda v: v if isinstance(v, cls) else cls.parse(str(v)))

    def django(self, *, pool_max: int) -> dict[str, Any]:
        """The `default` entry of Django's DATABASES."""
        return self._django_sqlite() if self.engine == "sqlite" else self._django_postgresql(pool_max)

    def _django_sqlite(self) -> dict[str, Any]:
        options = {"transaction_mode": "IMMEDIATE", "timeout": BUSY_SECONDS, "init_command": SQLITE_START}
        return {"ENGINE": "django.db.backends.sqlite3", "NAME": self.name, "OPTIONS": options, "CONN_MAX_AGE": 0}

    def _django_postgresql(self, pool_max: int) -> dict[str, Any]:
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
                "pool": {"min_size": 1, "max_size": pool_max, **POOL_SECONDS},
                "options": "-c lock_timeout=10s -c statement_timeout=60s",
                "connect_timeout": 5,
                **dict(self.tls),
            },
        }


def sqlite_file(path: Path) -> DatabaseUrl:
    """SQLite in a file."""
    return DatabaseUrl("sqlite", str(path))


def _name(parts: SplitResult) -> str:
    name = unquote(parts.path).removeprefix("/")
    if not name:
        raise ValueError("names no database")
    return name
