"""Headers are read strictly: what is not exactly base64 of a JSON object is refused with a reason and without its
text.
"""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lensproject.core.x402.codec import MAX_BYTES, Unreadable, decode_base64, decode_header, encode_header, read_json

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(st.dictionaries(st.text(), JSON, max_size=5))
def test_what_is_encoded_is_decoded(document: dict[str, Any]) -> None:
    assert decode_header(encode_header(document)) == document


def test_the_alphabet_is_the_standard_one_with_padding() -> None:
    raw = json.dumps({"a": "??>>~~"}).encode()
    standard = base64.b64encode(raw).decode()
    assert decode_header(standard) == {"a": "??>>~~"}
    safe = base64.urlsafe_b64encode(raw).decode()
    assert safe != standard
    with pytest.raises(Unreadable, match="standard base64"):
        decode_header(safe)


@pytest.mark.parametrize(
    "text",
    [
        "e30",  # no padding
        "e30==",
        "e3 0=",
        "e30=\n",
        "\ne30=",
        "e30=e30=",
        "e31=",  # bits after the last byte
        "é30=",
        "=",
        "!",
    ],
)
def test_other_base64_is_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        decode_base64(text)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "not JSON"),
        (b"null", "not a JSON object"),
        (b"[]", "not a JSON object"),
        (b"{", "not JSON"),
        (b"{} {}", "not JSON"),
        (b'{"a":1,"a":1}', "key twice"),
        (b'{"x":{"a":1,"a":2}}', "key twice"),
        (b'{"a":NaN}', "NaN"),
        (b'{"a":-Infinity}', "Infinity"),
        (b"\xff\xfe{}", "not UTF-8"),
        (b'{"a":' + b"9" * 5000 + b"}", "number that is too long"),
        (b"[" * 60_000, "nested deeper"),
        (b'{"a":' * 64 + b"1" + b"}" * 64, "nested deeper"),
        (b'{"a":"' + b"x" * MAX_BYTES + b'"}', "longer than"),
    ],
)
def test_other_json_is_refused(raw: bytes, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read_json(raw)


def test_a_long_header_is_refused_before_it_is_decoded() -> None:
    with pytest.raises(Unreadable, match="longer than"):
        decode_header("A" * (MAX_BYTES + 4))


def test_a_refusal_repeats_nothing_of_the_text() -> None:
    secret = base64.b64encode(b'{"signature": "hush", "signature": "hush"}').decode()
    with pytest.raises(Unreadable) as refusal:
        decode_header(secret)
    assert "hush" not in str(refusal.value)
    assert refusal.value.__cause__ is None


def test_brackets_in_a_text_are_no_nesting() -> None:
    assert read_json(b'{"a":"' + b"[" * 1000 + b'"}') == {"a": "[" * 1000}


def test_the_deepest_nesting_that_is_read() -> None:
    assert read_json(b'{"a":' * 63 + b"1" + b"}" * 63)
