"""Saying that every row of a topic may have changed: key `*`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import connections, transaction

from lensproject.core.triggers import Trigger, installed, literal
from mcp_bridge.changes.tracking import topics, topics_of
from mcp_bridge.changes.trigger_sql import LOG, sqlite_note
from mcp_bridge.models.changes import EVERY_KEY

_NOTE = "INSERT INTO mcp_bridge_change (topic, key, changed_at) VALUES (%s, %s, clock_timestamp())"


def announce(changed: Sequence[str], using: str = "default") -> None:
    """Note one change of every row for each of these topics, as after a migration; commits with the caller."""
    connection = connections[using]
    with transaction.atomic(using=using), connection.cursor() as cursor:
        for topic in changed:
            if connection.vendor == "sqlite":
                for statement in sqlite_note(literal(topic), literal(EVERY_KEY)):
                    cursor.execute(statement)
            else:
                cursor.execute(_NOTE, [topic, EVERY_KEY])


def connect() -> None:
    """Announce a topic whose trigger was put in, and all after a migration: rows may have changed unseen."""
    installed.connect(_after_install, dispatch_uid="mcp_bridge-announce")


def _after_install(using: str, triggers: Sequence[Trigger], migrated: bool, **kwargs: Any) -> None:
    changed = topics() if migrated else topics_of([trigger.name for trigger in triggers])
    if migrated and LOG not in connections[using].introspection.table_names():
        return
    announce(changed, using)
