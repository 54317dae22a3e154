"""JSON that is typed into a form."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.fields import InvalidJSONInput, JSONString

from lensproject.core import documents


class DocumentField(forms.JSONField):
    """A document that both databases can keep; anything else is told like any other mistake, and kept as typed."""

    def to_python(self, value: Any) -> Any:
        if self.disabled or not isinstance(value, str) or isinstance(value, JSONString) or value in self.empty_values:
            return super().to_python(value)
        try:
            found = documents.read(value)
        except ValueError as error:
            raise ValidationError(str(error), code="invalid") from None
        return JSONString(found) if isinstance(found, str) else found

    def bound_data(self, data: Any, initial: Any) -> Any:
        if self.disabled or not isinstance(data, str):
            return super().bound_data(data, initial)
        try:
            return documents.read(data)
        except ValueError:
            return InvalidJSONInput(data)
