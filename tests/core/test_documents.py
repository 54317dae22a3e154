from __future__ import annotations

from typing import Any

import pytest

from lensproject.core import documents
from lensproject.core.documents import depth


@pytest.mark.parametrize(
    ("document", "expected"), [(1, 1), ("[[[", 1), ([], 1), ([1], 2), ({"a": {"b": [1]}}, 4), ([[], [[2]]], 4)]
)
def test_depth(document: Any, expected: int) -> None:
    assert depth(document) == expected


def test_a_depth_beyond_recursion() -> None:
    nested: list[Any] = []
    for _ in range(99_999):
        nested = [nested]
    assert depth(nested) == 100_000


@pytest.mark.parametrize(
    ("text", "document"),
    [
        ("null", None),
        ('{"a": [1, 2.5, true]}', {"a": [1, 2.5, True]}),
        (str(2**1024 - 1), 2**1024 - 1),
        (r'"\ud83d\ude00"', "\U0001f600"),
        ("[" * 63 + "1" + "]" * 63, None),
    ],
    ids=lambda value: ascii(value)[:20],
)
def test_a_document_that_both_databases_keep_is_read(text: str, document: Any) -> None:
    found = documents.read(text)
    assert found == document if document is not None else depth(found) in (1, 64)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "valid JSON"),
        ("{", "valid JSON"),
        ("NaN", "valid JSON"),
        ("-Infinity", "valid JSON"),
        (r'"\ud800"', "valid JSON"),
        ("9" * 5000, "valid JSON"),
        ("[" * 100_000, "valid JSON"),
        ("[" * 64 + "1" + "]" * 64, "more than 64 deep"),
        ("[1e400]", "too large"),
        (str(2**1024), "too large"),
        (r'{"a": "\u0000"}', "NUL"),
        (r'{"\u0000": 1}', "NUL"),
    ],
    ids=lambda value: ascii(value)[:14],
)
def test_any_other_is_refused_with_the_reason(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        documents.read(text)


@pytest.mark.parametrize("document", ["\ud800", ["\udfff"], {"\ud800": 1}, "a\0", float("inf"), [float("nan")]])
def test_what_a_program_made_can_be_unstorable_too(document: Any) -> None:
    assert documents.unstorable(document) is not None


@pytest.mark.parametrize("document", ["", "é\U0001f600\n", 0, -1.5, None, {"a": {1: "x"}}])
def test_what_is_storable(document: Any) -> None:
    assert documents.unstorable(document) is None
