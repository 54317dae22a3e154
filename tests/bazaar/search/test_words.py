from __future__ import annotations

import pytest

from bazaar.models import CatalogEntry
from bazaar.search.words import finding, words_of
from lensproject.core.errors import InvalidInput
from tests.builders import make_entry


def found(text: str) -> list[str]:
    return sorted(entry.title for entry in finding(CatalogEntry.objects.all(), text))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("weather in Rome", ("weather", "in", "Rome")),
        ("Rome rome ROME", ("ROME",)),
        ("snake_case kebab-case", ("snake", "case", "kebab")),
        ("  100% (pure)  ", ("100", "pure")),
        (r"\m.* [a-z]+ $1", ("m", "a", "z", "1")),
        ("", ()),
        ("%_*", ()),
    ],
)
def test_a_text_is_split_into_its_different_words(text: str, words: tuple[str, ...]) -> None:
    assert words_of(text) == words


def test_twelve_words_are_enough() -> None:
    assert len(words_of(" ".join(map(str, range(12))))) == 12
    with pytest.raises(InvalidInput) as refusal:
        words_of(" ".join(map(str, range(13))))
    assert refusal.value.details == {"fields": {"query": "At most 12 different words are searched for."}}


@pytest.mark.django_db
def test_every_word_must_be_in_title_description_or_tags() -> None:
    make_entry(title="Forecast", description="Ten days ahead.", tags=["weather", "rain"])
    make_entry(title="Weather now", description="Of a city.", tags=[])
    assert found("weather") == ["Forecast", "Weather now"]
    assert found("weather forecast days") == ["Forecast"]
    assert found("rain") == ["Forecast"]
    assert found("weather snow") == []


@pytest.mark.django_db
def test_what_is_in_other_columns_finds_nothing() -> None:
    make_entry(title="One", category="secret", service_name="secret", origin="https://secret.example")
    assert found("secret") == []


@pytest.mark.django_db
def test_every_tag_counts() -> None:
    make_entry(title="One", tags=["first", "second", "third", "fourth", "fifth"])
    assert found("fifth first") == ["One"]


@pytest.mark.django_db
def test_a_word_matches_from_its_beginning_whatever_the_case() -> None:
    make_entry(title="SMART Forecasts", description="", tags=["snake_case"])
    assert found("smart forecast") == ["SMART Forecasts"]
    assert found("case") == ["SMART Forecasts"]
    assert found("art") == []
    assert found("recast") == []


@pytest.mark.django_db
@pytest.mark.parametrize("text", ["zürich", "ZÜRICH", "Zu\u0308rich"])
def test_letters_beyond_ascii_match_in_title_and_tags(text: str) -> None:
    make_entry(title="Zürich", tags=[])
    make_entry(title="City", tags=["Zürich"])
    assert found(text) == ["City", "Zürich"]


@pytest.mark.django_db
def test_scripts_without_spaces_match_anywhere() -> None:
    make_entry(title="今日天气", tags=[])
    assert found("天气") == ["今日天气"]


@pytest.mark.django_db
def test_a_blank_text_finds_all_and_signs_alone_find_none() -> None:
    make_entry(title="One")
    make_entry(title="100% two_three")
    assert found("  ") == ["100% two_three", "One"]
    for text in ("%", "_", "*", ".*", "(", "\\", "'", '"', "; --"):
        assert found(text) == []


@pytest.mark.django_db
@pytest.mark.parametrize("text", ["100%", "t_o", "on%", "o.e", "(on", "one' OR '1'='1", "one\\", "o*ne", "\u2028one["])
def test_no_sign_of_a_pattern_language_means_anything(text: str) -> None:
    make_entry(title="One")
    make_entry(title="Two", description="", tags=[])
    assert "Two" not in found(text)


@pytest.mark.django_db
def test_a_title_with_all_words_ranks_first() -> None:
    make_entry(title="Weather Rome", description="", tags=[])
    make_entry(title="Rome", description="Weather.", tags=[])
    ranks = {entry.title: entry.rank for entry in finding(CatalogEntry.objects.all(), "rome weather")}
    assert ranks == {"Weather Rome": 0, "Rome": 1}
