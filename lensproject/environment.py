"""Every setting of the platform: name, type, default, meaning, and whether it is a secret.

Read once, from the environment (`NAME`) or from a file that the environment names (`NAME_FILE`, for secrets that an
orchestrator mounts). Our own names start with `LENS_`; `DATABASE_URL`, `REDIS_URL` and `MCP_OPENAPI_PATH` are names
that others know and keep theirs. All mistakes are reported together and without the values, which may be secrets.
An `Environment` that code makes itself, as the tests do, reads no variable: it has what it was given, and defaults.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import AliasChoices, Field, ValidationError, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from lensproject import variables
from lensproject.databases import DatabaseUrl
from lensproject.setting_types import (
    AccountSeed,
    Folder,
    Hosts,
    Origins,
    Peppers,
    PublicUrl,
    RedisUrl,
    Secret,
    Zone,
    peppers,
)

__all__ = ["Environment", "EnvironmentMistakes", "current", "is_secret", "load", "peppers", "use", "variable"]

ROOT = Path(__file__).resolve().parent.parent


class EnvironmentMistakes(SystemExit):
    """Every setting that is wrong, one line each, without values. Ends the process with status 1 when uncaught."""

    def __init__(self, mistakes: list[str]) -> None:
        self.mistakes = mistakes
        lines = "\n".join(f"  {mistake}" for mistake in mistakes)
        super().__init__(f"The environment has {len(mistakes)} mistake(s); .env.example lists every setting:\n{lines}")


def _named(name: str, default: Any, description: str) -> Any:
    """A field that keeps a name of its own, without our prefix."""
    return Field(default, validation_alias=AliasChoices(name), description=description)


class Environment(BaseSettings):
    """The settings, typed and frozen. A field's description is what docs/settings.md and .env.example say of it."""

    model_config = SettingsConfigDict(frozen=True, extra="forbid", populate_by_name=True, hide_input_in_errors=True)

    debug: bool = Field(False, description="Django's debug pages. Never on where others can reach the server.")
    var: Folder = Field(
        ROOT / "var", description="Folder of everything that is written: database, keys, logs, run.json."
    )
    secret_key: Secret | None = Field(
        None, description="Signs sessions and cursors. Unset: made once and kept in var/keys, for one machine only."
    )
    key_peppers: Peppers | None = Field(
        None,
        description="Peppers of API keys as `id:hex,id:hex`, the first in use. Unset: made once and kept in var/keys.",
    )
    public_url: PublicUrl = Field("http://127.0.0.1:8000", description="Where agents and people reach the platform.")
    allowed_hosts: Hosts = Field(
        ("localhost", "127.0.0.1", "[::1]"), description="Host headers that are answered, comma-separated."
    )
    csrf_trusted_origins: Origins = Field((), description="Origins that may post to the admin, comma-separated.")
    proxy_count: int = Field(
        0, ge=0, le=10, description="Trusted proxies in front: whose X-Forwarded-For entry counts."
    )
    mainnet_enabled: bool = Field(False, description="Whether `stellar:pubnet` may be enabled at all.")
    time_zone: Zone = Field("UTC", description="Zone in which the admin shows times to who has not chosen one.")
    log_format: Literal["console", "json"] = Field(
        "console", description="`console` for people, `json` for collectors."
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field("INFO", description="Least level that is logged.")
    pool_threads: int = Field(8, ge=1, le=64, description="Threads in which asynchronous code runs its database steps.")
    database_pool_max: int = Field(10, ge=2, le=200, description="Most PostgreSQL connections of one process.")
    sweep_interval_ms: int = Field(
        250, ge=10, le=60_000, description="How often a process asks the change log what changed."
    )
    worker_lease_seconds: int = Field(30, ge=2, le=3600, description="Life of a worker's lease that is not renewed.")
    anonymous_reading: bool = Field(False, description="Whether `lens://` and searching are open to who has no key.")
    sse_enabled: bool = Field(True, description="Whether the old HTTP+SSE transport is served on /sse and /messages/.")
    mcp_allowed_origins: Origins = Field(
        (), description="Origins of browser pages that may call /mcp, comma-separated."
    )
    mcp_max_body_bytes: int = Field(1_048_576, ge=1024, description="Largest body that the MCP endpoints read.")
    mcp_max_sessions: int = Field(10_000, ge=1, description="Most sessions of older MCP clients in one process.")
    mcp_session_idle_seconds: int = Field(1800, ge=10, description="A session without a request this long is ended.")
    mcp_json_response: bool = Field(False, description="Answer MCP calls as plain JSON only: faster, without progress.")
    facilitator_open: bool = Field(
        False, description="Whether /facilitator/settle spends our lumens without a key. Never on `stellar:pubnet`."
    )
    facilitator_key: AccountSeed | None = Field(
        None,
        description="Seed of the facilitator's account, 64 hex digits. Unset: var/keys/facilitator, made by `demo`.",
    )
    facilitator_fee_ceiling: int = Field(
        500_000, ge=100, le=100_000_000, description="Most stroops that a settlement's transaction may cost."
    )
    facilitator_inclusion_fee: int = Field(
        1_000, ge=100, le=100_000_000, description="Least stroops bid for inclusion; more when the network asks more."
    )
    facilitator_least_balance: int = Field(
        20_000_000, ge=0, description="Stroops above its reserve with less of which an account settles nothing more."
    )
    facilitator_per_minute: int = Field(
        600, ge=0, description="Requests to /facilitator of one address in a minute without a key. 0: no limit."
    )
    database_url: DatabaseUrl | None = _named(
        "DATABASE_URL", None, "`postgres://user:password@host:port/name` or `sqlite:///path`. Unset: SQLite in var/."
    )
    redis_url: RedisUrl | None = _named("REDIS_URL", None, "Channel layer and cache. Unset: in memory, one process.")
    mcp_openapi_path: Folder = _named(
        "MCP_OPENAPI_PATH", ROOT / "openapi.json", "The file that `lens://openapi.json` serves, verbatim."
    )

    @model_validator(mode="after")
    def _debug_stays_home(self) -> Environment:
        if self.debug and self.mainnet_enabled:
            raise ValueError("LENS_DEBUG and LENS_MAINNET_ENABLED contradict each other")
        if self.facilitator_open and self.mainnet_enabled:
            raise ValueError("LENS_FACILITATOR_OPEN and LENS_MAINNET_ENABLED contradict each other")
        return self

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, variables.VariableSource(settings_cls), variables.FileSource(settings_cls)


def variable(field_name: str) -> str:
    """The environment variable of a field: its own name where it keeps one, else `LENS_…`."""
    return variables.name_of(field_name, Environment.model_fields[field_name])


def is_secret(field_name: str) -> bool:
    """Whether the value must never be shown: passwords and key material."""
    annotation = str(Environment.model_fields[field_name].annotation)
    return "SecretStr" in annotation or "DatabaseUrl" in annotation


def load(environ: Mapping[str, str] | None = None) -> Environment:
    """Read the environment, the process's own unless another is given. Raises EnvironmentMistakes that names all."""
    environ = os.environ if environ is None else environ
    known = [variable(name) for name in Environment.model_fields]
    mistakes = [*variables.unknown(environ, known), *variables.unreadable(environ, known)]
    try:
        with variables.read_from(environ):
            settings = Environment()
    except ValidationError as error:
        mistakes += [_line(detail) for detail in error.errors(include_input=False, include_context=False)]
        raise EnvironmentMistakes(mistakes) from None
    if mistakes:
        raise EnvironmentMistakes(mistakes)
    return settings


def _line(detail: Any) -> str:
    message = str(detail["msg"]).removeprefix("Value error, ")
    place = str(detail["loc"][0]) if detail["loc"] else ""
    name = variable(place) if place in Environment.model_fields else place
    return f"{name}: {message}" if name else message


_in_use: list[Environment] = []


def current() -> Environment:
    """The settings in use: those that `use` was given, else the environment's, read once."""
    if not _in_use:
        _in_use.append(load())
    return _in_use[0]


def use(environment: Environment) -> Environment:
    """Fix the settings before Django's are made, as tests/settings.py does."""
    _in_use[:] = [environment]
    return environment
