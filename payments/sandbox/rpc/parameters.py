"""Parameters of JSON-RPC calls, checked, with the errors that clients know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

Json = dict[str, Any]
INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL = -32600, -32601, -32602, -32603


class RpcError(Exception):
    """An error of JSON-RPC: `code` and a message that says what to change."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def invalid(message: str) -> RpcError:
    return RpcError(INVALID_PARAMS, message)


def text(parameters: Mapping[str, Any], name: str) -> str:
    value = parameters.get(name)
    if not isinstance(value, str) or not value:
        raise invalid(f"{name} must be a text")
    return value


def number(parameters: Mapping[str, Any], name: str, default: int = 0) -> int:
    value = parameters.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**63:
        raise invalid(f"{name} must be a whole number that is not negative")
    return value


def flag(parameters: Mapping[str, Any], name: str) -> bool:
    value = parameters.get(name, False)
    if value is None:
        return False
    if not isinstance(value, bool):
        raise invalid(f"{name} must be true or false")
    return value


def texts(parameters: Mapping[str, Any], name: str, most: int) -> list[str]:
    value = parameters.get(name)
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise invalid(f"{name} must be a list of texts")
    if len(value) > most:
        raise invalid(f"{name}: maximum {most} allowed, {len(value)} given")
    return cast("list[str]", value)


def section(parameters: Mapping[str, Any], name: str) -> Json:
    value = parameters.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise invalid(f"{name} must be an object")
    return value


def page(parameters: Mapping[str, Any], *, default: int, most: int) -> tuple[str | None, int]:
    """Cursor and limit. A page that goes on from a cursor names no first or last ledger."""
    pagination = section(parameters, "pagination")
    limit = number(pagination, "limit", default) or default
    if limit > most:
        raise invalid(f"limit must not exceed {most}")
    cursor = pagination.get("cursor")
    if cursor is None or cursor == "":
        return None, limit
    if not isinstance(cursor, str):
        raise invalid("cursor must be a text")
    if number(parameters, "startLedger") or number(parameters, "endLedger"):
        raise invalid("ledger ranges and cursor cannot both be set")
    return cursor, limit


def start_within(start: int, oldest: int, latest: int) -> int:
    if not oldest <= start <= latest:
        raise RpcError(INVALID_REQUEST, f"startLedger must be within the ledger range: {oldest} - {latest}")
    return start


def plain(parameters: Mapping[str, Any]) -> None:
    """XDR is told in base64; the JSON form is not offered here."""
    if parameters.get("xdrFormat") not in (None, "", "base64"):
        raise invalid("xdrFormat must be base64")
