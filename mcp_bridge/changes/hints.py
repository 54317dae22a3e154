"""A hint that this process committed something tracked, so that others may look sooner than their next sweep.

Losing a hint costs one interval and nothing else: what changed is always found in the log. Signals miss `update()`,
raw SQL and other processes, which is why they are a hint only.
"""

from __future__ import annotations

from typing import Any

from django.db import models, transaction
from django.db.models.signals import post_delete, post_save
from django.dispatch import Signal

from mcp_bridge.changes.tracking import tracked_models

# Sent after a commit, once for each, with `using`. Receivers run in the thread that committed: pass it on and return.
look_now = Signal()


def hint(using: str = "default") -> None:
    """Send `look_now` when the current transaction commits, or at once outside of one. For code that writes past
    signals."""
    waiting = transaction.get_connection(using).run_on_commit
    if waiting and isinstance(waiting[-1][1], _Hint):
        return
    transaction.on_commit(_Hint(using), using=using, robust=True)


class _Hint:
    def __init__(self, using: str) -> None:
        self.using = using

    def __call__(self) -> None:
        look_now.send_robust(sender=_Hint, using=self.using)


def connect() -> None:
    """Hint at saves and deletes of tracked models."""
    post_save.connect(_after_write, dispatch_uid="mcp_bridge-hint-save")
    post_delete.connect(_after_write, dispatch_uid="mcp_bridge-hint-delete")


def _after_write(sender: type[models.Model], using: str, **kwargs: Any) -> None:
    if sender in tracked_models():
        hint(using)
