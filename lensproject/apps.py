from __future__ import annotations

from django.apps import AppConfig


class ProjectConfig(AppConfig):
    """The project as a Django app: its management commands are found, and its system checks are registered."""

    name = "lensproject"
    label = "lensproject"
    verbose_name = "Lens Bazaar"

    def ready(self) -> None:
        from lensproject import checks

        checks.register_all()
