"""The project's admin site."""

from __future__ import annotations

from django.contrib.admin import AdminSite


class Desk(AdminSite):
    """Where operators work."""

    site_header = "Lens Bazaar"
    site_title = "Lens Bazaar"
    index_title = "The operator's desk"
    empty_value_display = "–"
