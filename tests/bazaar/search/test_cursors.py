from __future__ import annotations

import pytest
from django.core import signing

from bazaar.search import cursors
from bazaar.search.cursors import Place, fingerprint
from lensproject.core.errors import InvalidInput

SEARCH = fingerprint({"query": "weather"})


def refused(cursor: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        cursors.read(cursor, SEARCH)
    assert refusal.value.code.name == "INVALID_INPUT"
    assert list(refusal.value.details["fields"]) == ["cursor"]  # type: ignore[arg-type]


def test_a_cursor_gives_its_place_back() -> None:
    place = Place(1, "Wetter in Zürich: “heute”", 2**40)
    assert cursors.read(cursors.write(place, SEARCH), SEARCH) == place


def test_a_cursor_of_another_search_is_refused() -> None:
    refused(cursors.write(Place(0, "a", 1), fingerprint({"query": "rain"})))


@pytest.mark.parametrize("cursor", ["", "next", "1", "a:b:c", "é:", "\0", "x" * 10_000, "null", "W10:abc:def"])
def test_a_text_that_is_no_cursor_is_refused(cursor: str) -> None:
    refused(cursor)


def test_a_changed_cursor_is_refused() -> None:
    cursor = cursors.write(Place(0, "a", 1), SEARCH)
    for changed in (cursor[:-1], "A" + cursor[1:], cursor + "A", cursor.swapcase()):
        refused(changed)


@pytest.mark.parametrize("value", [[], None, "text", {"a": 1}, [1, 2, 3], [SEARCH, 1, 2, 3, 4]])
def test_what_we_signed_for_something_else_is_refused(value: object) -> None:
    refused(signing.dumps(value, salt=cursors.SALT))
    refused(signing.dumps([SEARCH, 0, "a", 1], salt="another purpose"))


def test_the_fingerprint_is_of_all_that_is_searched_for() -> None:
    assert fingerprint({"query": "a", "kind": None}) == fingerprint({"kind": None, "query": "a"})
    assert fingerprint({"query": "a", "kind": None}) != fingerprint({"query": "a", "kind": "http"})
