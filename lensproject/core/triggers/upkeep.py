"""When triggers are taken off and put back, and the system check that misses them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Error, Tags, register
from django.db import connections
from django.db.models.signals import post_migrate, pre_migrate

from lensproject.core.triggers.installing import install, remove, verify

_repairing: ContextVar[bool] = ContextVar("repairing", default=False)


def connect(config: AppConfig) -> None:
    """Keep triggers in step with migrations. `config` is any one app's: each signal comes once for each app."""
    pre_migrate.connect(_take_off, sender=config, dispatch_uid="lens-triggers-off")
    post_migrate.connect(_put_back, sender=config, dispatch_uid="lens-triggers-back")
    register(triggers_in_place, Tags.database)


@contextmanager
def repairing() -> Iterator[None]:
    """Within the block the system check says nothing: `migrate` must be able to start while triggers are missing."""
    token = _repairing.set(True)
    try:
        yield
    finally:
        _repairing.reset(token)


def triggers_in_place(
    app_configs: Sequence[AppConfig] | None, databases: Sequence[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """The system check core.E010, for each database that is checked."""
    if _repairing.get():
        return []
    return [
        Error(
            f"The database trigger {trouble.name} on {trouble.table} {trouble.what}.",
            hint="Run `manage.py migrate`: it puts triggers back and marks what they watch as changed.",
            id="core.E010",
        )
        for using in databases or ()
        for trouble in verify(using)
    ]


def _take_off(using: str, plan: Sequence[Any] = (), **kwargs: Any) -> None:
    """SQLite rebuilds a table to alter it: its triggers are lost with it, and those that name it stop the rebuild."""
    if plan and connections[using].vendor == "sqlite":
        remove(using)


def _put_back(using: str, plan: Sequence[Any] = (), **kwargs: Any) -> None:
    install(using, migrated=bool(plan))
