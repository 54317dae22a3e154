"""Parameters of calls: what is taken, what is refused, and with which words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from payments.sandbox.rpc import parameters as asked
from payments.sandbox.rpc.parameters import INVALID_PARAMS, INVALID_REQUEST, RpcError
from payments.sandbox.rpc.times import written


def refused(call: Callable[[], object]) -> tuple[int, str]:
    with pytest.raises(RpcError) as caught:
        call()
    return caught.value.code, str(caught.value)


@pytest.mark.parametrize("value", [None, 5, "", [], {}])
def test_a_text_is_a_text(value: Any) -> None:
    assert asked.text({"a": "b"}, "a") == "b"
    assert refused(lambda: asked.text({"a": value}, "a")) == (INVALID_PARAMS, "a must be a text")


@pytest.mark.parametrize("value", [True, -1, 1.5, "5", 2**63, []])
def test_a_number_is_whole_and_not_negative(value: Any) -> None:
    assert (asked.number({"a": 5}, "a"), asked.number({}, "a", 7), asked.number({"a": None}, "a")) == (5, 7, 0)
    code, words = refused(lambda: asked.number({"a": value}, "a"))
    assert (code, words) == (INVALID_PARAMS, "a must be a whole number that is not negative")


@pytest.mark.parametrize("value", [1, "true", []])
def test_a_flag_is_true_or_false(value: Any) -> None:
    assert [asked.flag({"a": each}, "a") for each in (True, False, None)] == [True, False, False]
    assert refused(lambda: asked.flag({"a": value}, "a"))[1] == "a must be true or false"


@pytest.mark.parametrize("value", ["a", {"a": 1}, [1], ["a", None]])
def test_texts_are_a_list(value: Any) -> None:
    assert asked.texts({"a": ["b"]}, "a", 1) == ["b"]
    assert asked.texts({}, "a", 1) == []
    assert refused(lambda: asked.texts({"a": value}, "a", 9))[1] == "a must be a list of texts"
    assert refused(lambda: asked.texts({"a": ["b", "c"]}, "a", 1))[1] == "a: maximum 1 allowed, 2 given"


def test_pages() -> None:
    assert asked.page({}, default=5, most=9) == (None, 5)
    assert asked.page({"pagination": {"limit": 9, "cursor": "7"}}, default=5, most=9) == ("7", 9)
    assert asked.page({"pagination": {"limit": 0, "cursor": ""}}, default=5, most=9) == (None, 5)
    with pytest.raises(RpcError, match="limit must not exceed 9"):
        asked.page({"pagination": {"limit": 10}}, default=5, most=9)
    with pytest.raises(RpcError, match="cursor must be a text"):
        asked.page({"pagination": {"cursor": 5}}, default=5, most=9)
    with pytest.raises(RpcError, match="pagination must be an object"):
        asked.page({"pagination": []}, default=5, most=9)


@pytest.mark.parametrize("name", ["startLedger", "endLedger"])
def test_a_cursor_excludes_ledgers(name: str) -> None:
    given = {"pagination": {"cursor": "7"}, name: 3}
    assert "cannot both be set" in refused(lambda: asked.page(given, default=5, most=9))[1]


@pytest.mark.parametrize("start", [0, 4, 10])
def test_a_start_outside_of_what_is_kept(start: int) -> None:
    assert [asked.start_within(each, 5, 9) for each in (5, 9)] == [5, 9]
    code, words = refused(lambda: asked.start_within(start, 5, 9))
    assert (code, words) == (INVALID_REQUEST, "startLedger must be within the ledger range: 5 - 9")


def test_only_base64_is_told() -> None:
    for taken in ({}, {"xdrFormat": ""}, {"xdrFormat": "base64"}):
        asked.plain(taken)
    assert refused(lambda: asked.plain({"xdrFormat": "json"}))[1] == "xdrFormat must be base64"


def test_times_are_in_utc_and_whole_seconds() -> None:
    assert written(0) == "1970-01-01T00:00:00Z"
    assert written(1_796_084_636) == "2026-12-01T00:23:56Z"
