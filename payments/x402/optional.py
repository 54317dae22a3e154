"""XDR has optional parts; reading says where one is needed."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def given(part: T | None) -> T:
    """The part. Raises ValueError when the XDR is of another kind and has none."""
    if part is None:
        raise ValueError("the XDR is of another kind than was asked for")
    return part
