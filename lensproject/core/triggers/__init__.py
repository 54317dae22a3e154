"""Database triggers, declared in code and kept in the database by `migrate`.

Never write CREATE TRIGGER in a migration: SQLite loses triggers when Django rebuilds a table. Declare them where the
model or the feature is (`guard`, `immutable`, `append_only`, or a `Trigger` of your own); `post_migrate` puts in what
is missing or differs, and the system check core.E010 names what is not in place.
"""

from __future__ import annotations

from lensproject.core.triggers.declarations import PostgresPart, SqlitePart, Trigger, declare, declared, scratch
from lensproject.core.triggers.guards import append_only, guard, immutable, literal
from lensproject.core.triggers.installing import Trouble, install, installed, remove, verify
from lensproject.core.triggers.upkeep import connect, repairing

__all__ = [
    "PostgresPart",
    "SqlitePart",
    "Trigger",
    "Trouble",
    "append_only",
    "connect",
    "declare",
    "declared",
    "guard",
    "immutable",
    "install",
    "installed",
    "literal",
    "remove",
    "repairing",
    "scratch",
    "verify",
]
