"""The kinds of value that settings have beyond numbers and switches. A mistake is told without repeating the value."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated
from urllib.parse import SplitResult, urlsplit

from pydantic import AfterValidator, BeforeValidator, SecretStr
from pydantic_settings import NoDecode

from lensproject.core import zones

LEAST_SECRET = 32


def split_words(value: object) -> object:
    """`a, b` → ("a", "b"); what is no text stays as it is."""
    return tuple(word.strip() for word in value.split(",") if word.strip()) if isinstance(value, str) else value


def parsed_url(text: str) -> SplitResult:
    """The parts of a URL. The library's own complaints repeat parts of the text, so they are replaced."""
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        raise ValueError("cannot be read as a URL; percent-encode what is special in user and password") from None
    return parts


def known_zone(value: str) -> str:
    return zones.zone(value).key


def origin(value: str) -> str:
    """`scheme://host[:port]`, without anything after it."""
    parts = parsed_url(value.rstrip("/"))
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
        raise ValueError("must begin with http:// or https:// and a host, without user")
    if parts.path or parts.query or parts.fragment:
        raise ValueError("ends after host and port: no path, query or fragment")
    return value.rstrip("/")


def origins(value: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(origin(each) for each in value)


def hosts(value: tuple[str, ...]) -> tuple[str, ...]:
    """Names as they stand in Host headers, without port: `lens.example`, `.example`, `[::1]`."""
    for host in value:
        without_v6 = "" if host.startswith("[") and host.endswith("]") else host
        if any(mark in without_v6 for mark in "/:@ "):
            raise ValueError("has host names only: no scheme, port or path; an IPv6 address stands in brackets")
    return value


def redis_url(value: SecretStr) -> SecretStr:
    if parsed_url(value.get_secret_value()).scheme not in ("redis", "rediss", "unix"):
        raise ValueError("must begin with redis://, rediss:// or unix://")
    return value


def long_enough(value: SecretStr) -> SecretStr:
    if len(value.get_secret_value()) < LEAST_SECRET:
        raise ValueError(f"needs at least {LEAST_SECRET} characters")
    return value


def peppers(text: str) -> dict[str, bytes]:
    """`id:hex,id:hex` → {id: bytes}, in order; at least 32 bytes each, no id twice."""
    found: dict[str, bytes] = {}
    for part in text.split(","):
        name, _, value = part.strip().partition(":")
        try:
            secret = bytes.fromhex(value)
        except ValueError:
            raise ValueError("must be id:hex, comma-separated") from None
        if not name or len(secret) < LEAST_SECRET or name in found:
            raise ValueError(f"needs distinct ids, each with at least {LEAST_SECRET} bytes in hex")
        found[name] = secret
    return found


def readable_peppers(value: SecretStr) -> SecretStr:
    peppers(value.get_secret_value())
    return value


def account_seed(value: SecretStr) -> SecretStr:
    """The 32 bytes of an ed25519 seed in hex."""
    text = value.get_secret_value()
    if len(text) != 64 or not all(digit in "0123456789abcdefABCDEF" for digit in text):
        raise ValueError("must be 64 hex digits")
    return value


def absolute(value: Path) -> Path:
    """A path that means the same from every working directory."""
    return value.expanduser().absolute()


Words = Annotated[tuple[str, ...], NoDecode, BeforeValidator(split_words)]
Hosts = Annotated[Words, AfterValidator(hosts)]
Origins = Annotated[Words, AfterValidator(origins)]
PublicUrl = Annotated[str, AfterValidator(origin)]
Zone = Annotated[str, AfterValidator(known_zone)]
Folder = Annotated[Path, AfterValidator(absolute)]
Secret = Annotated[SecretStr, AfterValidator(long_enough)]
Peppers = Annotated[SecretStr, AfterValidator(readable_peppers)]
AccountSeed = Annotated[SecretStr, AfterValidator(account_seed)]
RedisUrl = Annotated[SecretStr, AfterValidator(redis_url)]
