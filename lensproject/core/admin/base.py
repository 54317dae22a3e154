"""The two bases of every page on the desk: one for rows that may be edited, one for rows that may not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

from django.contrib import admin
from django.contrib.admin.widgets import AdminSplitDateTime
from django.db import models
from django.http import HttpRequest

from lensproject.core.admin.choosing import ChoosingAdmin
from lensproject.core.admin.documents import DocumentField
from lensproject.core.admin.paginator import CappedPaginator

Row = TypeVar("Row", bound=models.Model)

MAX_COLUMNS = 6


class BaseAdmin(ChoosingAdmin[Row]):
    """Lists that stay fast at a million rows and fit a telephone; rows that are closed or disabled, not deleted."""

    list_per_page = 50
    list_max_show_all = 0
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    paginator = CappedPaginator
    save_on_top = False
    formfield_overrides = {models.JSONField: {"form_class": DocumentField}}  # noqa: RUF012 — the shape Django gives it

    empty_hint: ClassVar[str] = "There is nothing here yet."
    """What to do next, shown in place of an empty list."""

    fixed: ClassVar[tuple[str, ...]] = ()
    """Fields that cannot be edited once the row is there; `fixed_in` where that depends on the row."""

    read_as: ClassVar[Mapping[str, str]] = {}
    """The page's method that shows a field where it cannot be edited: an amount with its asset, say."""

    def formfield_for_dbfield(self, db_field: models.Field[Any, Any], request: HttpRequest, **kwargs: Any) -> Any:
        """As Django's, with a name for each of the two inputs of a time."""
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        widget = getattr(field, "widget", None)
        if isinstance(widget, AdminSplitDateTime):
            for part, name in zip(widget.widgets, ("date", "time"), strict=True):
                part.attrs["aria-label"] = f"{str(db_field.verbose_name).capitalize()}: {name}"
        return field

    def has_delete_permission(self, request: HttpRequest, obj: Row | None = None) -> bool:
        return False

    def fixed_in(self, row: Row) -> tuple[str, ...]:
        return self.fixed

    def get_readonly_fields(self, request: HttpRequest, obj: Row | None = None) -> Any:
        locked = (*super().get_readonly_fields(request, obj), *(self.fixed_in(obj) if obj is not None else ()))
        return (*locked, *(self.read_as[name] for name in locked if name in self.read_as))

    def get_fieldsets(self, request: HttpRequest, obj: Row | None = None) -> Any:
        """The declared ones; what cannot be edited is shown as `read_as` says."""
        shown = self._read_only_names(request, obj)
        return [
            (title, {**options, "fields": tuple(self._as_shown(field, shown) for field in options["fields"])})
            for title, options in self.declared_fieldsets(request, obj)
        ]

    def declared_fieldsets(self, request: HttpRequest, obj: Row | None) -> Any:
        """The page's own, where they depend on the row or on who looks."""
        return super().get_fieldsets(request, obj)

    def _read_only_names(self, request: HttpRequest, obj: Row | None) -> frozenset[str]:
        if obj is not None and not self.has_change_permission(request, obj):
            return frozenset(self.read_as)
        return frozenset(self.get_readonly_fields(request, obj)) & frozenset(self.read_as)

    def _as_shown(self, field: Any, shown: frozenset[str]) -> Any:
        if isinstance(field, (list, tuple)):
            return tuple(self._as_shown(part, shown) for part in field)
        return self.read_as[field] if field in shown else field


class ReadOnlyAdmin(BaseAdmin[Row]):
    """Rows that the platform writes: seen by who may see them, changed by nobody."""

    actions = None

    def has_add_permission(self, request: HttpRequest, obj: Row | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Row | None = None) -> bool:
        return False
