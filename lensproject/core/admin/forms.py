"""Forms of curated rows: the version that was read, the reason, and amounts that are typed as people write them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, cast

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict

from lensproject.core.admin.display import InUnits
from lensproject.core.amounts import AmountField, parse_units
from lensproject.core.errors import Refusal, StaleVersion

REASON_LENGTH = 200
Refused = ValidationError | Refusal


class AmountInput(AmountField):
    """An amount that is typed as `12.5`. The asset says how many units that is, when it is known or chosen."""

    def __init__(self, **kwargs: Any) -> None:
        typed = forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off", "class": "vAmountField"})
        super().__init__(**{"widget": typed, **kwargs})

    def of(self, asset: InUnits, units: int | None) -> None:
        """Fix the asset. The units of what is in the form now are said below it."""
        self.decimals = asset.decimals
        echo = "" if units is None else f" Now {units} units."
        self.help_text = f"In {asset.code}, such as 12.5.{echo}"

    def has_changed(self, initial: Any, data: Any) -> bool:
        """`12.50` typed over 12.5 is no change."""
        if self.decimals is None or not isinstance(initial, int):
            return super().has_changed(initial, data)
        try:
            return bool(parse_units(data or "", self.decimals) != initial)
        except ValidationError:
            return True


class CuratedForm(forms.ModelForm[Any]):
    """Base of the forms of curated rows. What the service refused is shown where it belongs, typed values kept."""

    amounts: ClassVar[Mapping[str, str]] = {}
    """Field of an amount → field of the asset that it is in."""

    refused: ClassVar[Refused | None] = None
    """What the service said when this form was saved."""

    notes: ClassVar[tuple[str, ...]] = ()
    """What others changed since the form was opened."""

    row_version = forms.IntegerField(widget=forms.HiddenInput)
    reason = forms.CharField(
        max_length=REASON_LENGTH,
        widget=forms.TextInput(attrs={"class": "vTextField"}),
        help_text="Why: kept in the history with your name, what was there before and what is there now.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk is None:
            del self.fields["row_version"]
            self.fields["reason"].required = False
        else:
            self.initial["row_version"] = self.instance.row_version
            self._know_assets()
        if isinstance(self.refused, StaleVersion):
            # Who has been shown what changed may now decide to write over it.
            self.data = cast(QueryDict, self.data).copy()
            self.data["row_version"] = str(self.refused.details["rowVersion"])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        parsed_amounts(self, self.amounts)
        for field, message in refusals(self.refused):
            self.add_error(field if field in self.fields else None, message)
        for note in self.notes:
            self.add_error(None, note)
        return cleaned

    @property
    def values(self) -> dict[str, Any]:
        """What the form says of the row's own fields, for the service."""
        own = {field.name for field in self._meta.model._meta.concrete_fields if field.editable}
        return {name: value for name, value in self.cleaned_data.items() if name in own}

    def _know_assets(self) -> None:
        for name, source in self.amounts.items():
            field = self.fields.get(name)
            if isinstance(field, AmountInput):
                field.of(getattr(self.instance, source), getattr(self.instance, name))


def parsed_amounts(form: forms.BaseForm, sources: Mapping[str, str]) -> None:
    """Turn what was typed into units of the asset that was chosen in the same form: {amount's field: asset's field}."""
    for name, source in sources.items():
        text, asset = form.cleaned_data.get(name), form.cleaned_data.get(source)
        if not isinstance(text, str):
            continue
        try:
            if asset is None:
                raise ValidationError("Choose the asset; then the amount can be read.")
            form.cleaned_data[name] = parse_units(text, asset.decimals)
        except ValidationError as error:
            form.add_error(name, error)


def refusals(refused: Refused | None) -> Iterator[tuple[str | None, str]]:
    """(field or None, message) of each thing that a service found wrong."""
    if isinstance(refused, Refusal):
        yield None, refused.message
    elif refused is not None and hasattr(refused, "error_dict"):
        for field, messages in refused.message_dict.items():
            for message in messages:
                yield field, message
    elif refused is not None:
        for message in refused.messages:
            yield None, message
