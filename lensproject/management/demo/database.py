"""The database of the demo: reached, and brought to the newest migration."""

from __future__ import annotations

import contextlib
import io
import logging
from pathlib import Path
from typing import Any

import psycopg
from django.core.management import call_command
from django.db import DatabaseError, connection, connections

from lensproject.management.demo.faults import DemoFailed
from lensproject.management.demo.paths import shown

CONNECT_SECONDS = 5
log = logging.getLogger(__name__)


def place() -> str:
    """Which database it is, without its password."""
    options = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"SQLite in {shown(Path(options['NAME']))}"
    return f"PostgreSQL, {options['NAME']} at {options['HOST'] or 'the local socket'}:{options['PORT'] or 5432}"


def reach() -> None:
    """Raises DemoFailed, in words, when the database does not answer."""
    try:
        if connection.vendor == "postgresql":
            # By hand: Django's pool would try again for ten seconds, and keep the cause to itself.
            psycopg.connect(connect_timeout=CONNECT_SECONDS, **_parameters()).close()
        connection.ensure_connection()
    except (DatabaseError, psycopg.Error) as error:
        reason = " ".join(str(error).split()).rstrip(".")
        end = "" if reason.endswith("?") else "."
        raise DemoFailed(f"The database does not answer ({place()}): {reason}{end} Look at DATABASE_URL.") from None


def migrate() -> int:
    """Run what is missing of the migrations; returns how many that were. Raises DemoFailed when one fails.

    What Django says on the way, and the traceback of a failure, are in the demo's own log.
    """
    said = io.StringIO()
    try:
        call_command("migrate", interactive=False, no_color=True, stdout=said, stderr=said)
    except Exception as error:  # A migration is code, and may raise anything.
        log.exception("the migrations failed after:\n%s", said.getvalue())
        raise DemoFailed(f"Migrating the database failed: {_in_words(error)}.{_place_in(said.getvalue())}") from None
    log.info("migrated:\n%s", said.getvalue())
    return sum(line.endswith(" OK") for line in said.getvalue().splitlines())


def leave() -> None:
    """Hold no connection any longer: what follows may take days."""
    connections.close_all()
    close_pool = getattr(connection, "close_pool", None)
    if close_pool is not None:
        with contextlib.suppress(DatabaseError):
            close_pool()


def _parameters() -> dict[str, Any]:
    options = connection.settings_dict
    named = {"dbname": "NAME", "user": "USER", "password": "PASSWORD", "host": "HOST", "port": "PORT"}
    given = {name: options[key] for name, key in named.items() if options[key]}
    tls = {name: value for name, value in options["OPTIONS"].items() if name.startswith("ssl")}
    return given | tls


def _in_words(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}" if str(error) else type(error).__name__


def _place_in(said: str) -> str:
    """Which migration it was: Django begins a line with its name and ends it when it is through."""
    last = said.splitlines()[-1].strip() if said.strip() else ""
    return f" It was {last.split()[1].rstrip('.')}." if last.startswith("Applying ") else ""
