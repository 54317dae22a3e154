from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from django import forms
from django.core.exceptions import ValidationError

from lensproject.core.admin.forms import AmountInput, parsed_amounts, refusals
from lensproject.core.admin.words import WordsField
from lensproject.core.errors import NotFound


@dataclass
class Asset:
    code: str = "USDC"
    decimals: int = 7


USDC, POINTS = Asset(), Asset("PTS", 0)


class Price(forms.Form):
    asset = forms.TypedChoiceField(choices=[("usdc", "USDC"), ("pts", "PTS")], coerce={"usdc": USDC, "pts": POINTS}.get)
    amount = AmountInput()

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        parsed_amounts(self, {"amount": "asset"})
        return cleaned


@pytest.mark.parametrize(
    ("asset", "typed", "units"),
    [
        ("usdc", "12.5", 125_000_000),
        ("usdc", "12,500.00", 125_000_000_000),
        ("usdc", "0.0000001", 1),
        ("usdc", " 1 ", 10_000_000),
        ("pts", "12", 12),
        ("pts", "12.0", 12),
    ],
)
def test_an_amount_is_read_in_the_asset_that_is_chosen_beside_it(asset: str, typed: str, units: int) -> None:
    form = Price({"asset": asset, "amount": typed})

    assert form.is_valid(), form.errors
    assert form.cleaned_data["amount"] == units


@pytest.mark.parametrize(
    "typed", ["-1", "+1", "1e-7", "1E7", "0x1", "1_000", "1,5", "1,000", "12,50.00", ".5", "5.", "٣", "1 0"]
)
def test_what_could_be_meant_otherwise_is_refused_and_kept_as_typed(typed: str) -> None:
    form = Price({"asset": "usdc", "amount": typed})

    assert not form.is_valid()
    assert form["amount"].value() == typed
    assert typed in str(form.errors["amount"])


@pytest.mark.parametrize(
    ("asset", "typed", "mistake"),
    [
        ("pts", "1.5", "0 decimals"),
        ("usdc", "0.00000001", "7 decimals"),
        ("usdc", "922337203686", "2^63"),
        ("", "1", "Choose the asset"),
        ("usdc", "", "required"),
    ],
)
def test_what_does_not_fit_the_asset_is_refused_with_the_reason(asset: str, typed: str, mistake: str) -> None:
    form = Price({"asset": asset, "amount": typed})

    assert not form.is_valid()
    assert mistake in str(form.errors["amount"])


def test_a_known_asset_shows_units_as_a_decimal_and_says_them_below() -> None:
    field = AmountInput()
    field.of(USDC, 5_000_000)

    assert field.prepare_value(5_000_000) == "0.50"
    assert field.help_text == "In USDC, such as 12.5. Now 5000000 units."


@pytest.mark.parametrize(
    ("typed", "changed"),
    [("0.5", False), ("0.50", False), ("0.5000000", False), ("0.51", True), ("x", True), ("", True)],
)
def test_the_same_amount_typed_otherwise_is_no_change(typed: str, changed: bool) -> None:
    field = AmountInput()
    field.of(USDC, None)

    assert field.has_changed(5_000_000, typed) is changed


@pytest.mark.parametrize(
    ("typed", "words"),
    [("a, b", ["a", "b"]), (" a ,, b , ", ["a", "b"]), ("", []), (None, []), ("*", ["*"]), ("a\nb", ["a\nb"])],
)
def test_words_are_typed_with_commas_between_them(typed: str | None, words: list[str]) -> None:
    assert WordsField().clean(typed) == words


def test_a_list_is_shown_with_commas_and_an_equal_one_is_no_change() -> None:
    field = WordsField()

    assert field.prepare_value(["a", "b"]) == "a, b"
    assert field.prepare_value("a,b") == "a,b"
    assert field.has_changed(["a", "b"], "a,b ") is False
    assert field.has_changed(None, "") is False
    assert field.has_changed(["a"], "") is True


def test_a_list_that_is_wanted_is_asked_for() -> None:
    with pytest.raises(ValidationError, match="required"):
        WordsField(required=True).clean(" , ")


@pytest.mark.parametrize(
    ("refused", "told"),
    [
        (None, []),
        (ValidationError("no"), [(None, "no")]),
        (
            ValidationError({"limit": ["low", "odd"], "zone": "gone"}),
            [("limit", "low"), ("limit", "odd"), ("zone", "gone")],
        ),
        (NotFound("There is none."), [(None, "There is none.")]),
    ],
)
def test_what_a_service_refused_is_told_field_by_field(refused: Any, told: list[tuple[str | None, str]]) -> None:
    assert list(refusals(refused)) == told
