"""What is offered for a view: how to pay for it, and how it is described to who looks for it."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lensproject.core.x402.wire import VERSION, PaymentRequired, PaymentRequirements, ResourceInfo


@dataclass(frozen=True)
class Offer:
    """`accepts` has the ways to pay, `extensions` what is declared beside (such as `bazaar`: info and schema).

    `repeatable`: the view may run again for a payment that was settled, where its answer is too large to keep.
    """

    accepts: tuple[PaymentRequirements, ...]
    description: str | None = None
    mime_type: str | None = None
    service_name: str | None = None
    tags: tuple[str, ...] = ()
    icon_url: str | None = None
    extensions: Mapping[str, Any] = field(default_factory=dict)
    repeatable: bool = False

    def __post_init__(self) -> None:
        if not self.accepts:
            raise ValueError("an offer names at least one way to pay")

    def required(self, url: str, error: str) -> PaymentRequired:
        """The document of a 402 for the resource at this URL."""
        return PaymentRequired(
            x402_version=VERSION,
            error=error,
            resource=ResourceInfo(
                url=url,
                description=self.description,
                mime_type=self.mime_type,
                service_name=self.service_name,
                tags=list(self.tags) or None,
                icon_url=self.icon_url,
            ),
            accepts=list(self.accepts),
            extensions=copy.deepcopy(dict(self.extensions)) or None,
        )
