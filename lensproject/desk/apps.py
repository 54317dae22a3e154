from __future__ import annotations

from django.contrib.admin.apps import AdminConfig


class DeskConfig(AdminConfig):
    """Django's admin with the project's own site as the default one."""

    default_site = "lensproject.desk.site.Desk"
