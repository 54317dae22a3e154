"""The project's admin site."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib.admin import AdminSite, ModelAdmin
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.urls.resolvers import URLResolver

from lensproject.core.admin import BaseAdmin
from lensproject.core.admin.display import zone_name
from lensproject.desk import zones
from lensproject.desk.sign_in import SignIn


class Desk(AdminSite):
    """Where operators work. Every page on it inherits from the desk's own bases."""

    site_header = "Lens Bazaar"
    site_title = "Lens Bazaar"
    index_title = "The operator's desk"
    empty_value_display = "–"
    index_template = "desk/dashboard.html"
    login_form = SignIn

    def __init__(self, name: str = "admin") -> None:
        super().__init__(name)
        self.disable_action("delete_selected")

    def register(
        self,
        model_or_iterable: type[Model] | Iterable[type[Model]],
        admin_class: type[ModelAdmin[Any]] | None = None,
        **options: Any,
    ) -> None:
        """As Django's, for pages made from our bases. What other apps bring is registered anew in `desk.others`."""
        if admin_class is not None and issubclass(admin_class, BaseAdmin):
            super().register(model_or_iterable, admin_class, **options)

    def get_urls(self) -> list[URLResolver | URLPattern]:
        return [path("zone/", self.admin_view(self.zone_view), name="zone"), *super().get_urls()]

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        return {**super().each_context(request), "zone_name": zone_name()}

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """The dashboard, and below it every page there is."""
        from lensproject.desk import dashboard  # It asks the apps' pages, which register with this site.

        edits = dashboard.edits(request.user)
        context = {"panels": dashboard.panels(request.user), "edits": edits, "audits": edits is not None}
        return super().index(request, {**context, **(extra_context or {})})

    def zone_view(self, request: HttpRequest) -> HttpResponse:
        """In which zone this person wants to read times."""
        return zones.choose(request, self.each_context(request))
