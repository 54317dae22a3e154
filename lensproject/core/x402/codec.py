"""JSON of strangers read strictly, and the base64 headers of x402 (reference: core protocol v2, HTTP transport).

Refused rather than guessed at: other alphabets than standard base64 with padding, junk and line breaks in it,
duplicate keys, NaN, numbers that JSON does not know, nesting without end, and more than 64 kB.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from typing import Any

from lensproject.core.documents import depth

MAX_BYTES = 64_000
MAX_DEPTH = 64

PAYMENT_REQUIRED = "PAYMENT-REQUIRED"
PAYMENT_SIGNATURE = "PAYMENT-SIGNATURE"
PAYMENT_RESPONSE = "PAYMENT-RESPONSE"
EXTENSION_RESPONSES = "EXTENSION-RESPONSES"


class Unreadable(ValueError):
    """The text is no x402 document. The message says what is wrong and repeats nothing of the text."""


def decode_header(text: str) -> dict[str, Any]:
    """The JSON object in a header: base64 of UTF-8 JSON, standard alphabet, padded. Raises Unreadable."""
    return read_json(decode_base64(text))


def encode_header(document: Mapping[str, Any]) -> str:
    """A JSON object as a header's value."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(text.encode()).decode("ascii")


def decode_base64(text: str) -> bytes:
    """Strict base64, at most 64 kB of it. Raises Unreadable."""
    if len(text) > MAX_BYTES:
        raise Unreadable(f"is longer than {MAX_BYTES} bytes")
    try:
        raw = base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        raise Unreadable("is not standard base64 with padding") from None
    if base64.b64encode(raw).decode("ascii") != text:
        raise Unreadable("is not the one base64 form of its bytes")
    return raw


def read_json(raw: bytes) -> dict[str, Any]:
    """A JSON object of at most 64 kB, without duplicate keys. Raises Unreadable."""
    if len(raw) > MAX_BYTES:
        raise Unreadable(f"is longer than {MAX_BYTES} bytes")
    try:
        document = json.loads(raw.decode("utf-8"), object_pairs_hook=_distinct, parse_constant=_no_constant)
    except UnicodeDecodeError:
        raise Unreadable("is not UTF-8") from None
    except json.JSONDecodeError:
        raise Unreadable("is not JSON") from None
    except RecursionError:
        raise Unreadable(f"is nested deeper than {MAX_DEPTH}") from None
    except Unreadable:
        raise
    except ValueError:  # An integer with more digits than Python reads.
        raise Unreadable("has a number that is too long") from None
    if not isinstance(document, dict):
        raise Unreadable("is not a JSON object")
    if depth(document) > MAX_DEPTH:
        raise Unreadable(f"is nested deeper than {MAX_DEPTH}")
    return document


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Unreadable("has a key twice")
    return found


def _no_constant(name: str) -> None:
    raise Unreadable(f"has {name}, which is not JSON")
