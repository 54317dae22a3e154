"""Cursors: after which entry, of which list, for whom."""

from __future__ import annotations

from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from lensproject.core.callers import ANONYMOUS, Caller
from mcp_bridge.handlers.cursors import page

READER = Caller("a", "k1", frozenset({"read"}))
ENTRIES = ["a", "b", "c", "d", "e"]


def paged(
    cursor: str | None = None, *, entries: list[str] = ENTRIES, name: str = "tools", caller: Caller = READER
) -> Any:
    return page(entries, lambda entry: entry, name=name, caller=caller, cursor=cursor, size=2)


def test_the_first_page_has_a_cursor_to_the_second() -> None:
    shown, after = paged()
    assert list(shown) == ["a", "b"]
    assert list(paged(after)[0]) == ["c", "d"]


def test_the_last_page_has_none() -> None:
    _, after = paged(paged()[1])
    assert paged(after) == (["e"], None)


def test_a_page_that_fits_exactly_is_the_last() -> None:
    assert paged(entries=["a", "b"]) == (["a", "b"], None)


def test_an_empty_list_is_one_empty_page() -> None:
    assert paged(entries=[]) == ([], None)


def test_what_came_or_went_meanwhile_moves_nothing_else() -> None:
    _, after = paged()
    assert list(paged(after, entries=["a", "aa", "c", "cc", "d"])[0]) == ["c", "cc"]
    assert list(paged(after, entries=["d", "e"])[0]) == ["d", "e"]


def test_keys_of_the_same_scopes_share_a_list() -> None:
    _, after = paged()
    other = Caller("b", "k2", frozenset({"read"}))
    assert list(paged(after, caller=other)[0]) == ["c", "d"]


def refused(cursor: str, **more: Any) -> None:
    with pytest.raises(MCPError) as error:
        paged(cursor, **more)
    assert (error.value.code, error.value.data) == (-32602, {"field": "cursor"})


def test_a_cursor_of_another_list_is_refused() -> None:
    refused(paged()[1], name="resources")


def test_a_cursor_of_another_audience_is_refused() -> None:
    refused(paged()[1], caller=ANONYMOUS)


def test_a_cursor_that_was_changed_is_refused() -> None:
    _, after = paged()
    refused(after[:-1] + ("A" if after[-1] != "A" else "B"))


def test_a_cursor_signed_for_something_else_is_refused() -> None:
    from django.core import signing

    refused(signing.dumps(["tools", "x", "b"], salt="another"))
    refused(signing.dumps("not a list", salt="mcp_bridge.cursor"))
    refused(signing.dumps([1, 2], salt="mcp_bridge.cursor"))


def test_the_empty_string_is_a_cursor_and_not_ours() -> None:
    refused("")
