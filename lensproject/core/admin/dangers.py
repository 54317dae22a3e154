"""Changes that ask twice: a second page shows the effect, wants a reason, and has a permission of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from django import forms
from django.http import HttpRequest, HttpResponse

from lensproject.core.admin.forms import REASON_LENGTH, Refused
from lensproject.core.models import Curated

Row = TypeVar("Row", bound=Curated)


@dataclass(frozen=True)
class Fact:
    """One line of the effect: what it is about, and how it is now and afterwards."""

    label: str
    now: str
    then: str = ""


class ReasonForm(forms.Form):
    """The version that was looked at, and why."""

    row_version = forms.IntegerField(widget=forms.HiddenInput)
    reason = forms.CharField(
        max_length=REASON_LENGTH,
        widget=forms.TextInput(attrs={"class": "vTextField", "autocomplete": "off"}),
        help_text="Kept in the history with your name.",
    )


class Danger(Generic[Row]):
    """One such change: what it is called, who may do it, when it is possible, what it will do, and how it is done."""

    slug: ClassVar[str]
    label: ClassVar[str]
    """What the button says."""

    done: ClassVar[str]
    """Past participle, for messages: “paused”."""

    permission: ClassVar[str]
    bulk: ClassVar[bool] = False
    """Whether it is also offered for several rows at once."""

    confirmation: ClassVar[type[ReasonForm]] = ReasonForm

    def unavailable(self, row: Row) -> str | None:
        """Why it cannot be done to this row now; None when it can."""
        return None

    def question(self, row: Row, data: Mapping[str, Any] | None) -> forms.Form | None:
        """What has to be known before the effect can be shown; None when nothing."""
        return None

    def effect(self, row: Row, answers: Mapping[str, Any]) -> Sequence[Fact]:
        """What it will do, line by line."""
        return ()

    def act(self, row: Row, answers: Mapping[str, Any], *, row_version: int, by: Any, reason: str) -> Any:
        """Do it, through the service. Raises ValidationError and Refusal; what it gives goes to `respond`."""
        raise NotImplementedError

    def after_refusal(self, form: ReasonForm, row: Row, refused: Refused) -> None:
        """Offer what may be done instead, in the form that is shown again."""

    def respond(self, request: HttpRequest, row: Row, result: Any) -> HttpResponse | None:
        """The page that follows; None for the row's own page."""
        return None
