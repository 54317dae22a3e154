"""Public ids: what agents and people see in place of database keys. They sort by the time they were made."""

from __future__ import annotations

import re

from uuid_utils.compat import uuid7

_SHAPE = re.compile(r"[a-z]+_[0-9a-f]{32}")


def public_id(kind: str) -> str:
    """A new id such as `resource_0199…`: the kind and the 32 hex digits of a UUIDv7."""
    return f"{kind}_{uuid7().hex}"


def is_public_id(text: str, kind: str) -> bool:
    """Whether the text has the shape of an id of this kind. It says nothing of whether the row exists."""
    return _SHAPE.fullmatch(text) is not None and text.startswith(f"{kind}_")
