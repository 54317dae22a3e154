from __future__ import annotations

from decimal import Decimal

import pytest
from django.core.exceptions import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from lensproject.core.amounts import MAX_DECIMALS, MAX_UNITS, Amount, AmountField, UnitsField, parse_units

units = st.integers(0, MAX_UNITS)
decimals = st.integers(0, MAX_DECIMALS)
amounts = st.builds(Amount, units, decimals)


@given(amounts)
def test_what_is_written_is_read_again(amount: Amount) -> None:
    assert Amount.parse(str(amount), amount.decimals) == amount
    assert Amount.parse(amount.short(), amount.decimals) == amount


@given(amounts)
def test_the_text_is_a_plain_decimal_of_the_same_worth(amount: Amount) -> None:
    for text in (str(amount), amount.short()):
        assert set(text) <= set("0123456789.")
        assert Decimal(text) == Decimal(amount.units).scaleb(-amount.decimals)


@given(amounts)
def test_the_long_form_has_all_decimals_and_the_short_one_no_more_than_it_needs(amount: Amount) -> None:
    _, _, part = str(amount).partition(".")
    assert len(part) == amount.decimals
    _, _, kept = amount.short().partition(".")
    assert len(kept) <= 2 or not kept.endswith("0")
    assert len(kept) >= min(2, amount.decimals)


@given(st.text(max_size=30), decimals)
def test_any_text_is_an_amount_or_a_value_error(text: str, places: int) -> None:
    try:
        amount = Amount.parse(text, places)
    except ValueError:
        return
    assert Decimal(text) == Decimal(str(amount))


@given(units, units, decimals)
def test_amounts_of_one_asset_compare_by_their_units(left: int, right: int, places: int) -> None:
    assert (Amount(left, places) < Amount(right, places)) == (left < right)
    assert (Amount(left, places) >= Amount(right, places)) == (left >= right)
    assert (Amount(left, places) == Amount(right, places)) == (left == right)


@pytest.mark.parametrize("compare", ["__lt__", "__le__", "__gt__", "__ge__"])
def test_amounts_of_assets_with_other_decimals_do_not_compare(compare: str) -> None:
    with pytest.raises(ValueError, match="other decimals"):
        getattr(Amount(1, 7), compare)(Amount(1, 2))
    with pytest.raises(TypeError):
        sorted([Amount(1, 7), 1])  # type: ignore[type-var]


@pytest.mark.parametrize(
    ("units", "decimals", "long", "short"),
    [
        (1, 7, "0.0000001", "0.0000001"),
        (500_000, 7, "0.0500000", "0.05"),
        (125_000_000, 7, "12.5000000", "12.50"),
        (0, 7, "0.0000000", "0.00"),
        (5, 0, "5", "5"),
        (15, 1, "1.5", "1.5"),
        (MAX_UNITS, 7, "922337203685.4775807", "922337203685.4775807"),
        (1, 12, "0.000000000001", "0.000000000001"),
    ],
)
def test_how_amounts_are_written(units: int, decimals: int, long: str, short: str) -> None:
    amount = Amount(units, decimals)
    assert (str(amount), amount.short()) == (long, short)


@pytest.mark.parametrize(
    ("text", "units"),
    [("5", 50_000_000), ("0.05", 500_000), ("0.0500000", 500_000), ("00.1", 1_000_000), ("1.00000000000", 10_000_000)],
)
def test_how_amounts_are_read(text: str, units: int) -> None:
    assert Amount.parse(text, 7) == Amount(units, 7)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "plain decimal"),
        ("-1", "plain decimal"),
        ("+1", "plain decimal"),
        ("1E-7", "plain decimal"),
        ("1e3", "plain decimal"),
        (".5", "plain decimal"),
        ("5.", "plain decimal"),
        (" 5", "plain decimal"),
        ("5\n", "plain decimal"),
        ("1,000", "plain decimal"),
        ("NaN", "plain decimal"),
        ("Infinity", "plain decimal"),
        ("٣", "plain decimal"),
        ("0x10", "plain decimal"),
        ("1_000", "plain decimal"),
        ("9" * 21, "plain decimal"),
        ("0.00000001", "has 7 decimals"),
        ("922337203685.4775808", "2\\^63 - 1"),
        ("99999999999999999999", "2\\^63 - 1"),
    ],
)
def test_what_is_no_amount_says_why(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        Amount.parse(text, 7)


@pytest.mark.parametrize(("units", "decimals"), [(-1, 7), (MAX_UNITS + 1, 7), (0, -1), (0, 13)])
def test_amounts_out_of_range_do_not_exist(units: int, decimals: int) -> None:
    with pytest.raises(ValueError, match=r"asset has 0 to 12|amount is 0 to"):
        Amount(units, decimals)


@pytest.mark.parametrize(("text", "units"), [("12.5", 1250), ("12,500.00", 1_250_000), ("1,234,567.8", 123_456_780)])
def test_people_may_group_digits_where_it_is_unambiguous(text: str, units: int) -> None:
    assert parse_units(text, 2) == units


@pytest.mark.parametrize("text", ["1,5", "12,50", "1,23.0", "1,000", "1.000,00", "1 000", "-5"])
def test_people_hear_what_is_wrong_with_the_rest(text: str) -> None:
    with pytest.raises(ValidationError) as caught:
        parse_units(text, 2)
    assert caught.value.code == "amount"
    assert caught.value.messages[0].startswith(f"{text}: ")


def test_a_form_field_gives_units() -> None:
    field = AmountField(decimals=7)
    assert field.clean("0.05") == 500_000
    assert field.prepare_value(500_000) == "0.05"
    assert field.prepare_value("0.0x") == "0.0x"
    with pytest.raises(ValidationError):
        field.clean("")
    with pytest.raises(ValidationError):
        field.clean("x")


def test_a_form_field_that_may_be_empty_gives_none() -> None:
    assert AmountField(decimals=7, required=False).clean("") is None


def test_a_form_field_without_decimals_leaves_reading_to_the_form() -> None:
    field = AmountField()
    assert field.clean("0.05") == "0.05"
    assert field.prepare_value(5) == 5


@pytest.mark.parametrize("value", [0, 1, MAX_UNITS])
def test_units_of_a_model_are_within_the_range(value: int) -> None:
    assert UnitsField().clean(value, None) == value


@pytest.mark.parametrize("value", [-1, MAX_UNITS + 1, "x", None])
def test_other_units_are_refused_before_the_database_is_asked(value: object) -> None:
    with pytest.raises(ValidationError):
        UnitsField().clean(value, None)
