"""Money: an integer count of an asset's smallest unit, from the database to the page.

Never a float, never a DecimalField. Text is a plain decimal (`0.0000001`, never `1E-7`). Amounts are 0 … 2^63 − 1
units of an asset with 0 to 12 decimals; anything else is refused where it is read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import total_ordering
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

MAX_UNITS = 2**63 - 1
MAX_DECIMALS = 12

_PLAIN = re.compile(r"(?P<whole>[0-9]{1,20})(?:\.(?P<part>[0-9]{1,20}))?")
_GROUPED = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+\.[0-9]+")


@total_ordering
@dataclass(frozen=True)
class Amount:
    """So many units of an asset with so many decimals. Two amounts compare only within one asset."""

    units: int
    decimals: int

    def __post_init__(self) -> None:
        if not 0 <= self.decimals <= MAX_DECIMALS:
            raise ValueError(f"an asset has 0 to {MAX_DECIMALS} decimals")
        if not 0 <= self.units <= MAX_UNITS:
            raise ValueError("an amount is 0 to 2^63 - 1 units")

    @classmethod
    def parse(cls, text: str, decimals: int) -> Amount:
        """Read a plain decimal such as `12.5`. Raises ValueError that says what is wrong with it."""
        match = _PLAIN.fullmatch(text)
        if match is None:
            raise ValueError("write a plain decimal such as 0.05, without sign, exponent or spaces")
        part = match["part"] or ""
        if len(part.rstrip("0")) > decimals:
            raise ValueError(f"the asset has {decimals} decimals and this has more")
        return cls(int(match["whole"] + part[:decimals].ljust(decimals, "0")), decimals)

    def __lt__(self, other: Amount) -> bool:
        if not isinstance(other, Amount):
            return NotImplemented
        if other.decimals != self.decimals:
            raise ValueError("amounts of assets with other decimals do not compare")
        return self.units < other.units

    def __str__(self) -> str:
        """All decimals of the asset: `0.0500000`."""
        if not self.decimals:
            return str(self.units)
        whole, part = divmod(self.units, 10**self.decimals)
        return f"{whole}.{part:0{self.decimals}d}"

    def short(self) -> str:
        """For people and for agents: trailing zeros trimmed, two decimals kept: `0.05`, `12.50`, `0.0000001`."""
        text = str(self)
        if "." not in text:
            return text
        whole, part = text.split(".")
        kept = part.rstrip("0").ljust(min(2, self.decimals), "0")
        return f"{whole}.{kept}"


if TYPE_CHECKING:
    _BigIntegerField = models.BigIntegerField[Any, Any]
else:
    # A site that only sells has no django-stubs-ext, which makes field classes generic when it runs.
    _BigIntegerField = models.BigIntegerField


class UnitsField(_BigIntegerField):
    """A BigIntegerField that holds units. The model's own CHECK constraint says which are allowed; this one helps
    forms.
    """

    default_validators = [MinValueValidator(0), MaxValueValidator(MAX_UNITS)]  # noqa: RUF012 — the shape Django gives it


class AmountField(forms.CharField):
    """A form field that takes text such as `12.5` or the unambiguous `12,500.00` and gives units.

    `decimals` is set when the asset is known; without it the field gives the text back for the form to parse.
    """

    def __init__(self, *, decimals: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.decimals = decimals

    def prepare_value(self, value: Any) -> Any:
        """Units from the database are shown as a decimal; typed text stays as typed."""
        if isinstance(value, int) and self.decimals is not None:
            return Amount(value, self.decimals).short()
        return value

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        if text in self.empty_values or self.decimals is None:
            return text or None
        return parse_units(text, self.decimals)


def parse_units(text: str, decimals: int) -> int:
    """Units of what a person typed. Raises Django's ValidationError."""
    plain = text.replace(",", "") if _GROUPED.fullmatch(text) else text
    try:
        return Amount.parse(plain, decimals).units
    except ValueError as error:
        raise ValidationError(f"{text}: {error}.", code="amount") from None
