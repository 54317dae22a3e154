"""What may be shown of a URL that an operator configured: providers put keys into user, path, query and host labels."""

from __future__ import annotations

import re


def without_secrets(url: str) -> str:
    """A URL without user, password, query and fragment; anything that is no URL as it is."""
    scheme, separator, rest = url.partition("://")
    if not separator:
        return url
    authority, slash, path = re.split(r"[?#]", rest, maxsplit=1)[0].partition("/")
    return f"{scheme}://{authority.rpartition('@')[2]}{slash}{path}"


def only_host(url: str) -> str | None:
    """Scheme, host and port of a node, since its path may be a key; None for none."""
    scheme, separator, rest = url.partition("://")
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0].rpartition("@")[2]
    return f"{scheme}://{authority}" if separator and authority else None
