"""The arm of an XDR union that must be there: stellar-sdk types every arm as optional."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def present(value: T | None) -> T:
    """The value itself. Raises LookupError when it is missing: the ledger's own state would be broken."""
    if value is None:
        raise LookupError("an XDR value that must be there is missing")
    return value
