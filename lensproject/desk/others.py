"""Pages of what other apps keep: people and roles, the audit log, the change log, tasks, and failed sign-ins."""

from __future__ import annotations

from lensproject.desk import audit, changes, people, sign_ins, tasks

__all__ = ["audit", "changes", "people", "sign_ins", "tasks"]
