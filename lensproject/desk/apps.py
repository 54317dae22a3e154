from __future__ import annotations

from django.contrib.admin.apps import AdminConfig
from django.db.models.signals import post_migrate


class DeskConfig(AdminConfig):
    """Django's admin with the project's own site as the default one, its pages, and the roles that come ready."""

    default_site = "lensproject.desk.site.Desk"

    def ready(self) -> None:
        super().ready()
        from lensproject.desk import others, roles  # noqa: F401

        post_migrate.connect(roles.make_ready, dispatch_uid="lensproject.desk.roles")
