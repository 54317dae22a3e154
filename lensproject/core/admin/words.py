"""Lists of words, typed with commas between them."""

from __future__ import annotations

from typing import Any

from django import forms


class WordsField(forms.CharField):
    """A JSON list of texts in the database, `one, two` in the form."""

    def __init__(self, **kwargs: Any) -> None:
        wide = forms.TextInput(attrs={"class": "vTextField", "autocomplete": "off"})
        super().__init__(**{"required": False, "widget": wide, **kwargs})

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(map(str, value)) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        return [word.strip() for word in (super().to_python(value) or "").split(",") if word.strip()]

    def validate(self, value: Any) -> None:
        if self.required and not value:
            raise forms.ValidationError(self.error_messages["required"], code="required")

    def run_validators(self, value: Any) -> None:
        """The model's own rules look at the list."""

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool(self.to_python(data) != (initial or []))
