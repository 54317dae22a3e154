from __future__ import annotations

from django.apps import AppConfig


class CoreConfig(AppConfig):
    """The floor as a Django app: it owns the worker's leases and the database triggers of all apps."""

    name = "lensproject.core"
    label = "core"
    verbose_name = "Platform"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from lensproject.core import triggers

        triggers.connect(self)
