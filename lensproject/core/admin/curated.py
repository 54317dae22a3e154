"""Pages of curated rows: a change goes through its service, names the version that it was made on, and says why."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, TypedDict, TypeVar, cast

from django.core.exceptions import PermissionDenied, ValidationError
from django.db import models
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from lensproject.core import curation
from lensproject.core.admin import history
from lensproject.core.admin.base import BaseAdmin
from lensproject.core.admin.dangerous import DangerousAdmin
from lensproject.core.admin.forms import AmountInput, CuratedForm, Refused
from lensproject.core.admin.refusing import one_change
from lensproject.core.amounts import UnitsField
from lensproject.core.errors import Refusal, StaleVersion
from lensproject.core.models import Curated

if TYPE_CHECKING:
    from django.contrib.auth.models import User

Row = TypeVar("Row", bound=Curated)

HISTORY_PAGE = 50
ENTERED = "Entered on the desk."


class Said(TypedDict):
    """Who changes something, and why: what every service wants to know."""

    by: User
    reason: str


def said(request: HttpRequest, form: CuratedForm) -> Said:
    """The person of this request, who is signed in, and the reason in the form."""
    return {"by": cast("User", request.user), "reason": form.cleaned_data["reason"] or ENTERED}


class CuratedAdmin(DangerousAdmin[Row], BaseAdmin[Row]):
    """Base of the pages of curated rows. `create` and `revise` are the services; by default the general ones."""

    form = CuratedForm
    create: ClassVar[Callable[..., Any] | None] = None
    revise: ClassVar[Callable[..., Any]] = staticmethod(curation.revise)

    history_words: ClassVar[Mapping[str, Callable[[Any], object]]] = {}
    """Field → what the history may show of its values, where that is not all."""

    def get_form(self, request: HttpRequest, obj: Row | None = None, change: bool = False, **kwargs: Any) -> Any:
        """The form, knowing what was refused when it was sent a moment ago."""
        if kwargs.get("fields"):
            # The form declares it; the model's field of that name is not for editing.
            kwargs["fields"] = [name for name in kwargs["fields"] if name != "row_version"]
        form = super().get_form(request, obj, change, **kwargs)
        refused = refusal_of(request)
        if refused is None:
            return form
        notes = self._notes(request, obj) if isinstance(refused, StaleVersion) and obj is not None else ()
        return type(form.__name__, (form,), {"refused": refused, "notes": notes})

    def get_fieldsets(self, request: HttpRequest, obj: Row | None = None) -> Any:
        """The page's own, and last the reason."""
        fieldsets = super().get_fieldsets(request, obj)
        if obj is None:
            return [*fieldsets, ("Why", {"fields": ("reason",)})]
        if self.has_change_permission(request, obj):
            return [*fieldsets, ("Why", {"fields": ("reason", "row_version")})]
        return fieldsets

    def formfield_for_dbfield(self, db_field: models.Field[Any, Any], request: HttpRequest, **kwargs: Any) -> Any:
        if isinstance(db_field, models.URLField):
            kwargs["assume_scheme"] = "https"
        if not isinstance(db_field, UnitsField):
            return super().formfield_for_dbfield(db_field, request, **kwargs)
        label = str(db_field.verbose_name).removesuffix(" (units)").capitalize()
        initial = db_field.get_default() if db_field.has_default() else None
        return AmountInput(
            label=label,
            required=not db_field.blank,
            initial=initial,
            help_text="In the asset chosen here, such as 12.5.",
        )

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """As Django's; what the service refuses is shown in the form, typed values kept, and nothing is written."""
        try:
            with one_change():
                return super().changeform_view(request, object_id, form_url, extra_context)
        except (ValidationError, Refusal) as refused:
            vars(request)["refused_by_service"] = refused
            return super().changeform_view(request, object_id, form_url, extra_context)

    def save_model(self, request: HttpRequest, obj: Row, form: ModelForm[Row], change: bool) -> None:
        """Through the service. `obj`, which the form has filled, becomes the row as it is then."""
        kept = self.write(request, obj, cast(CuratedForm, form), change)
        vars(obj).update(vars(kept))

    def write(self, request: HttpRequest, obj: Row, form: CuratedForm, change: bool) -> Curated:
        """Call the service with what was typed; gives the row as it is afterwards."""
        if change:
            row = self.model._base_manager.get(pk=obj.pk)
            version = form.cleaned_data["row_version"]
            revised: Curated = type(self).revise(row, form.values, row_version=version, **said(request, form))
            return revised
        service = type(self).create
        if service is None:
            return curation.create(self.model(**form.values), **said(request, form))
        made: Curated = service(form.values, **said(request, form))
        return made

    def construct_change_message(
        self, request: HttpRequest, form: Any, formsets: Any, add: bool = False
    ) -> list[dict[str, dict[str, list[str]]]]:
        """Django's, with the reason kept beside it for the audit log."""
        form.changed_data[:] = [name for name in form.changed_data if name not in ("reason", "row_version")]
        message: list[Any] = list(super().construct_change_message(request, form, formsets, add))
        return [*message, {"reason": form.cleaned_data["reason"]}] if form.cleaned_data["reason"] else message

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Who changed this row, when, from what to what, and why."""
        row = self.get_object(request, object_id)
        if row is None:
            return self.gone(request, object_id)
        if not self.has_view_or_change_permission(request, row):
            raise PermissionDenied
        skip = max(0, _whole_number(request.GET.get("skip", "0")))
        found = history.revisions(row, newest=HISTORY_PAGE + 1, skip=skip, wording=self._wording())
        context = {
            **self.admin_site.each_context(request),
            "title": "History",
            "subtitle": str(row),
            "opts": self.opts,
            "object": row,
            "revisions": found[:HISTORY_PAGE],
            "older": skip + HISTORY_PAGE if len(found) > HISTORY_PAGE else None,
        }
        return TemplateResponse(request, "desk/history.html", context)

    def _notes(self, request: HttpRequest, row: Row) -> tuple[str, ...]:
        """What others changed since the version that the form was opened on."""
        seen = _whole_number(request.POST.get("row_version", "0"))
        missed = history.since(self.model._base_manager.get(pk=row.pk), seen, wording=self._wording())
        advice = "What you typed is kept below. Save again to write it over that, or open the page afresh."
        return (*history.sentences(missed), advice)

    def _wording(self) -> history.Wording:
        amounts = self.form.amounts if issubclass(self.form, CuratedForm) else {}
        return history.Wording(amounts, self.history_words)


def refusal_of(request: HttpRequest) -> Refused | None:
    """What the service refused when this request was tried."""
    refused: Refused | None = vars(request).get("refused_by_service")
    return refused


def _whole_number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
