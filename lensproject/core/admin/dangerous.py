"""The pages, buttons and bulk actions of a model's dangerous changes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar, TypeVar

from django.contrib import admin, messages
from django.contrib.admin import ModelAdmin
from django.contrib.admin.utils import quote, unquote
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from lensproject.core.admin.bulk import bulk_action
from lensproject.core.admin.dangers import Danger, ReasonForm
from lensproject.core.admin.forms import Refused, refusals
from lensproject.core.admin.refusing import one_change
from lensproject.core.errors import Refusal, StaleVersion
from lensproject.core.models import Curated

Row = TypeVar("Row", bound=Curated)


class DangerousAdmin(ModelAdmin[Row]):
    """Gives each of `dangers` a page under the row, a button on it, and a bulk action where it says so."""

    dangers: ClassVar[tuple[Danger[Any], ...]] = ()

    def get_urls(self) -> list[URLPattern]:
        return [
            path(
                f"<path:object_id>/{danger.slug}/",
                self.admin_site.admin_view(partial(self.danger_view, danger=danger)),
                name=self._route(danger),
            )
            for danger in self.dangers
        ] + super().get_urls()

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        actions: dict[str, Any] = super().get_actions(request)
        for danger in self.dangers:
            if danger.bulk and request.user.has_perm(danger.permission):
                name = f"{danger.slug}_selected"
                description = f"{danger.label} the selected {self.opts.verbose_name_plural}…"
                actions[name] = (bulk_action(danger, name), name, description)
        return actions

    def get_list_display(self, request: HttpRequest) -> Any:
        """The column of links only for who may follow them."""
        columns = super().get_list_display(request)
        if any(request.user.has_perm(danger.permission) for danger in self.dangers):
            return columns
        return tuple(column for column in columns if column != "danger_links")

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        row = self.get_object(request, unquote(object_id))
        offered = (
            []
            if row is None
            else [(danger.label, self.danger_url(danger, row)) for danger in self.offered(request, row)]
        )
        return super().change_view(request, object_id, form_url, {"dangers": offered, **(extra_context or {})})

    def offered(self, request: HttpRequest, row: Row) -> list[Danger[Row]]:
        """What this person may do to this row now."""
        return [
            danger
            for danger in self.dangers
            if request.user.has_perm(danger.permission) and danger.unavailable(row) is None
        ]

    def danger_url(self, danger: Danger[Any], row: Row) -> str:
        return reverse(f"{self.admin_site.name}:{self._route(danger)}", args=(quote(row.pk),))

    @admin.display(description="at once")
    def danger_links(self, row: Row) -> SafeString | str:
        """A list column with what can be done at once, so that a pause is never far away. The page checks who asks."""
        links = [
            (self.danger_url(danger, row), danger.label)
            for danger in self.dangers
            if danger.bulk and danger.unavailable(row) is None
        ]
        return format_html_join(" ", '<a class="danger-link" href="{}">{}…</a>', links)

    def danger_view(self, request: HttpRequest, object_id: str, danger: Danger[Row]) -> HttpResponse:
        """The second page. GET shows, POST does; nothing is done without a reason."""
        row = self.get_object(request, unquote(object_id))
        if row is None:
            return self.gone(request, object_id)
        if not self.has_view_permission(request, row) or not request.user.has_perm(danger.permission):
            raise PermissionDenied
        if (why_not := danger.unavailable(row)) is not None:
            self.message_user(request, f"{row}: {why_not}.", messages.WARNING)
            return HttpResponseRedirect(self._page_of(row))
        question = danger.question(row, request.POST or request.GET or None)
        if question is not None and not question.is_valid():
            return self._render(request, row, danger, question=question)
        answers = {} if question is None else question.cleaned_data
        form = danger.confirmation(request.POST or None, initial={"row_version": row.row_version})
        if request.method == "POST" and form.is_valid():
            return self._do(request, row, danger, answers, form)
        return self._render(request, row, danger, answers=answers, form=form)

    def gone(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """There is no such row, or not for this person."""
        self.message_user(request, f"There is no {self.opts.verbose_name} {unquote(object_id)}.", messages.WARNING)
        return HttpResponseRedirect(reverse(f"{self.admin_site.name}:index"))

    def _do(
        self, request: HttpRequest, row: Row, danger: Danger[Row], answers: Mapping[str, Any], form: ReasonForm
    ) -> HttpResponse:
        said = {**answers, **form.cleaned_data}
        try:
            with one_change():
                result = self.perform(request, row, danger, said, form.cleaned_data["row_version"])
        except (ValidationError, Refusal) as refused:
            return self._render_refused(request, row, danger, answers, refused)
        response = danger.respond(request, row, result)
        if response is None:
            self.message_user(request, f"{row} is {danger.done}.", messages.SUCCESS)
        return response or HttpResponseRedirect(self._page_of(row))

    def perform(
        self, request: HttpRequest, row: Row, danger: Danger[Row], said: Mapping[str, Any], row_version: int
    ) -> Any:
        """Do it and write it into the audit log; in the caller's transaction."""
        reason = said["reason"]
        result = danger.act(row, said, row_version=row_version, by=request.user, reason=reason)
        self.log_change(request, row, f"{danger.done.capitalize()}: {reason}")
        return result

    def _render_refused(
        self, request: HttpRequest, row: Row, danger: Danger[Row], answers: Mapping[str, Any], refused: Refused
    ) -> HttpResponse:
        """The page again, with the effect on the row as it is now, the reason kept and what was wrong said."""
        row = self.model._base_manager.get(pk=row.pk)
        data = request.POST.copy()
        if isinstance(refused, StaleVersion):
            data["row_version"] = str(row.row_version)
        form = danger.confirmation(data)
        for field, message in refusals(refused):
            form.add_error(field if field in form.fields else None, message)
        danger.after_refusal(form, row, refused)
        return self._render(request, row, danger, answers=answers, form=form)

    def _render(
        self,
        request: HttpRequest,
        row: Row,
        danger: Danger[Row],
        *,
        question: Any = None,
        answers: Mapping[str, Any] | None = None,
        form: ReasonForm | None = None,
    ) -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            "title": danger.label,
            "subtitle": str(row),
            "opts": self.opts,
            "object": row,
            "page": self._page_of(row),
            "danger": danger,
            "question": question,
            "kept": _as_typed(danger.question(row, request.POST or request.GET or None)),
            "form": form,
            "effect": () if answers is None else danger.effect(row, answers),
        }
        return TemplateResponse(request, "desk/danger.html", context)

    def _route(self, danger: Danger[Any]) -> str:
        return f"{self.opts.app_label}_{self.opts.model_name}_{danger.slug}"

    def _page_of(self, row: Row) -> str:
        name = f"{self.admin_site.name}:{self.opts.app_label}_{self.opts.model_name}_change"
        return reverse(name, args=(quote(row.pk),))


def _as_typed(question: Any) -> list[tuple[str, str]]:
    """The answers as they were typed, to be sent along with the reason."""
    return [] if question is None else [(field.html_name, field.value() or "") for field in question]
