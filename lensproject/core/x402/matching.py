"""Whether what a client accepted is what the server offered (reference: section 1.7, steps 4 and 5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lensproject.core.x402.wire import PaymentRequirements

TERMS = ("scheme", "network", "amount", "asset", "pay_to", "max_timeout_seconds")


def matching(accepts: Iterable[PaymentRequirements], accepted: PaymentRequirements) -> PaymentRequirements | None:
    """The offered terms that `accepted` equals; it may carry more `extra` than was offered, and no other value."""
    return next((offer for offer in accepts if _same_terms(offer, accepted)), None)


def _same_terms(offer: PaymentRequirements, accepted: PaymentRequirements) -> bool:
    if any(getattr(offer, name) != getattr(accepted, name) for name in TERMS):
        return False
    return contains(accepted.extra or {}, offer.extra or {})


def wrong_echoes(declared: Mapping[str, Any] | None, sent: Mapping[str, Any] | None) -> list[str]:
    """The extensions that the client echoed with another `info` than the server declared. One that is left out is
    fine.
    """
    declared, sent = declared or {}, sent or {}
    return sorted(name for name in declared.keys() & sent.keys() if not _echoes(declared[name], sent[name]))


def _echoes(declared: Any, sent: Any) -> bool:
    if not isinstance(sent, dict):
        return False
    return contains(sent.get("info", {}), declared.get("info", {}))


def contains(outer: Any, inner: Any) -> bool:
    """Whether every key of `inner` is in `outer` with the same value, objects compared in the same way, types
    included.
    """
    if isinstance(inner, dict):
        return isinstance(outer, dict) and all(key in outer and contains(outer[key], inner[key]) for key in inner)
    return type(outer) is type(inner) and bool(outer == inner)
