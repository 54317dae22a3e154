"""The words of the product are the words of its models."""

from __future__ import annotations

import pytest
from django.db import models as django_models

from bazaar.models import PaymentOption, SellerAddress
from payments.models import ApiKey, ApiKeyNetwork
from tests.docs import words


def test_the_page_is_up_to_date() -> None:
    assert words.PAGE.read_text(encoding="utf-8") == words.page(), "run `.venv/bin/python -m tests.docs.words`"


def test_every_model_has_one_line_in_order() -> None:
    named = [line.split(" | ")[0].removeprefix("| ").lower() for line in words.rows()][2:]
    assert len(set(named)) == len(words.models()) >= 20
    assert named == sorted(named)


@pytest.mark.parametrize("model", words.models(), ids=lambda model: model.__name__)
def test_every_model_says_what_it_is(model: type[django_models.Model]) -> None:
    # Django writes the fields into the docstring of a model that has none.
    assert not words.meaning(model).startswith(f"{model.__name__}(")
    assert words.meaning(model).endswith((".", ")"))


def test_history_tables_have_no_words_of_their_own() -> None:
    assert not [model for model in words.models() if model.__name__.startswith("Historical")]
    assert len([model for model in words.models() if model is PaymentOption]) == 1


@pytest.mark.parametrize(
    ("model", "word"),
    [
        (PaymentOption, "Payment option"),
        (SellerAddress, "Seller address"),
        (ApiKey, "API key"),
        (ApiKeyNetwork, "API key network"),
    ],
)
def test_names_are_written_as_people_write_them(model: type[django_models.Model], word: str) -> None:
    assert words.word(model) == word


def test_a_docstring_becomes_one_line_of_a_table() -> None:
    class Told:
        """What it is,
        in two lines | with a bar.

        And more that the page leaves out.
        """

    assert words.meaning(Told) == r"What it is, in two lines \| with a bar."  # type: ignore[arg-type]
