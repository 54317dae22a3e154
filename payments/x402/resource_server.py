"""What a seller asks for: a price turned into PaymentRequirements of the scheme `exact` on Stellar."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lensproject.core.amounts import Amount
from lensproject.core.stellar.networks import NETWORK_IDS
from lensproject.core.stellar.strkeys import is_address, is_contract
from lensproject.core.x402.wire import PaymentRequirements

SCHEME = "exact"
DEFAULT_SECONDS = 60


@dataclass(frozen=True)
class Price:
    """So much of a token contract's asset: `amount` is a plain decimal such as `0.05`."""

    asset: str
    amount: str
    decimals: int = 7


def payment_requirements(
    price: Price, *, network: str, pay_to: str, seconds: int = DEFAULT_SECONDS, extra: Mapping[str, Any] | None = None
) -> PaymentRequirements:
    """One entry of `accepts`. Raises ValueError that names what is wrong: a seller's own mistake, seen at start."""
    if network not in NETWORK_IDS:
        raise ValueError(f"{network!r} is no Stellar network")
    if not is_contract(price.asset):
        raise ValueError("the asset is no token contract (C…)")
    if not is_address(pay_to):
        raise ValueError("payTo is no account (G…) or contract (C…); muxed addresses cannot be paid")
    units = Amount.parse(price.amount, price.decimals).units
    if units < 1 or seconds < 1:
        raise ValueError("price and time must be more than nothing")
    return PaymentRequirements(
        scheme=SCHEME,
        network=network,
        amount=str(units),
        asset=price.asset,
        pay_to=pay_to,
        max_timeout_seconds=seconds,
        extra={"areFeesSponsored": True, **(extra or {})},
    )


def enhance(requirements: PaymentRequirements, kind: Mapping[str, Any]) -> PaymentRequirements:
    """The terms with what a facilitator's kind in /supported adds to `extra`. Raises ValueError for another kind."""
    if (kind.get("scheme"), kind.get("network")) != (requirements.scheme, requirements.network):
        raise ValueError("the facilitator's kind is another scheme or network")
    added = kind.get("extra")
    extra = {**(requirements.extra or {}), **(added if isinstance(added, dict) else {})}
    return requirements.model_copy(update={"extra": extra})


def supported_kind(kinds: Any, scheme: str, network: str) -> Mapping[str, Any] | None:
    """The kind of version 2 in a facilitator's `kinds` that serves these terms."""
    if not isinstance(kinds, list):
        return None
    wanted = (2, scheme, network)
    for kind in kinds:
        if isinstance(kind, dict) and (kind.get("x402Version"), kind.get("scheme"), kind.get("network")) == wanted:
            return kind
    return None
