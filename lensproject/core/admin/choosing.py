"""Rows that a browser names by their keys, in forms, filters, links and selections.

Anybody may send any text there. What can be no key of the table (`abc`, or a number that the database has no room for)
names no row; Django takes some of it to the database, which is a fault and not an answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from django import forms
from django.contrib import messages
from django.contrib.admin import SimpleListFilter
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import BaseModelAdmin, IncorrectLookupParameters, ModelAdmin
from django.contrib.admin.widgets import AutocompleteSelect
from django.core.exceptions import ValidationError
from django.db import DataError, models
from django.db.models.constants import LOOKUP_SEP
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

Row = TypeVar("Row", bound=models.Model)
SMALLEST, LARGEST = -(2**63), 2**63 - 1


def possible_keys(key: models.Field[Any, Any], texts: Iterable[Any]) -> Iterator[Any]:
    """Those of the texts that may be values of a key."""
    for text in texts:
        try:
            value = key.to_python(text)
        except ValidationError:
            continue
        if not isinstance(value, int) or SMALLEST <= value <= LARGEST:
            yield text


class ChosenRow(AutocompleteSelect):
    """A row, found by typing. What names no row is shown as nothing chosen."""

    def optgroups(self, name: str, value: Any, *rest: Any) -> Any:
        key = self.choices.queryset.model._meta.pk
        return super().optgroups(name, list(possible_keys(key, value)), *rest)


class ChosenRows(forms.ModelMultipleChoiceField[Any]):
    """Several rows of a list."""

    def clean(self, value: Any) -> Any:
        assert self.queryset is not None  # noqa: S101, a field without rows to choose from is never shown
        key = self.queryset.model._meta.pk
        for text in value if isinstance(value, (list, tuple)) else ():
            if not list(possible_keys(key, [text])):
                message = self.error_messages["invalid_pk_value"]
                raise ValidationError(message, code="invalid_pk_value", params={"pk": str(text)[:40]})
        return super().clean(value)


class ChoosingFields(BaseModelAdmin[Row]):
    """Pages whose fields are the two above."""

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if "widget" not in kwargs and db_field.name in self.get_autocomplete_fields(request):
            kwargs["widget"] = ChosenRow(db_field, self.admin_site, using=kwargs.get("using"))
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        return super().formfield_for_manytomany(db_field, request, **{"form_class": ChosenRows, **kwargs})


class ChoosingAdmin(ChoosingFields[Row], ModelAdmin[Row]):
    """Pages whose lists answer a filter or a selection that can name no row, and filter by what they offer alone."""

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Filters that the page offers, the key, and what Django allows of other rows.

        By any other column a list would tell, letter by letter, what the page does not show: the password in a node's
        URL, the digest of a key.
        """
        name = lookup.split(LOOKUP_SEP)[0]
        columns = (column.name for column in self.opts.concrete_fields if not column.is_relation)
        if name in {*columns} - {self.opts.pk.name, *self._offered(request)}:
            return False
        return super().lookup_allowed(lookup, value, request)

    def _offered(self, request: HttpRequest) -> Iterator[str]:
        """The parameters of the page's filters."""
        for offered in self.get_list_filter(request):
            if isinstance(offered, str):
                yield offered
            elif isinstance(offered, type) and issubclass(offered, SimpleListFilter) and offered.parameter_name:
                yield offered.parameter_name

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """Raises what makes Django show the list without the filter, and say so."""
        try:
            return super().get_changelist_instance(request)
        except (OverflowError, DataError):
            raise IncorrectLookupParameters from None

    def get_search_results(self, request: HttpRequest, queryset: Any, search_term: str) -> tuple[Any, bool]:
        """Nothing is found by U+0000, which no text in the database holds; PostgreSQL would refuse the question."""
        if "\0" in search_term:
            return queryset.none(), False
        return super().get_search_results(request, queryset, search_term)

    def response_action(self, request: HttpRequest, queryset: Any, *rest: Any) -> HttpResponse | None:
        selected = request.POST.getlist(ACTION_CHECKBOX_NAME)
        if len(list(possible_keys(self.opts.pk, selected))) < len(selected):
            self.message_user(request, "The selection names a row that cannot be; nothing was changed.", messages.ERROR)
            return HttpResponseRedirect(request.get_full_path())
        return super().response_action(request, queryset, *rest)
