"""JSON documents of strangers, measured before anything recurses into them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import isfinite
from typing import Any

from pydantic_core import from_json

MAX_DEPTH = 64
MAX_BITS = 1024
"""Of a whole number: as large as the largest fraction."""

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def depth(document: Any) -> int:
    """How deep objects and lists are nested; 1 for a bare value. Found level by level: no depth is too much for it."""
    return sum(1 for _ in _levels(document))


def read(text: str) -> Any:
    """The document in a text. Raises ValueError that says why there is none, or none that can be kept."""
    try:
        document = from_json(text, allow_inf_nan=False)
    except ValueError:
        raise ValueError("Write valid JSON, without endless nesting or endless numbers.") from None
    problem = unstorable(document)
    if problem is not None:
        raise ValueError(problem)
    return document


def unstorable(document: Any) -> str | None:
    """Why one of the databases cannot keep a document or a text, or would not give it back as JSON; None when all
    do.
    """
    for deep, level in enumerate(_levels(document), start=1):
        if deep > MAX_DEPTH:
            return f"This is nested more than {MAX_DEPTH} deep."
        for node in level:
            if any(_UNSTORABLE.search(text) for text in _texts(node)):
                return "Text cannot hold a NUL character or half of a surrogate pair."
            if isinstance(node, float) and not isfinite(node):
                return "A number is too large, or none."
            if isinstance(node, int) and node.bit_length() > MAX_BITS:
                return "A number is too large."
    return None


def _levels(document: Any) -> Iterator[list[Any]]:
    """The values of each level, the outermost first."""
    level = [document]
    while level:
        yield level
        inner = [node.values() if isinstance(node, dict) else node for node in level if isinstance(node, dict | list)]
        level = [child for children in inner for child in children]


def _texts(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, dict):
        yield from (key for key in node if isinstance(key, str))
