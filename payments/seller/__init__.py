"""Selling from any Django site: a decorator for views that are paid for by x402 (docs/selling.md).

It needs neither the platform's database nor its settings: a cache of the site, and the URL of a facilitator.

    seller = Seller(facilitator=HttpFacilitator("https://lens.example/facilitator"))

    @seller.paid(Offer(accepts=(payment_requirements(Price(USDC, "0.05"), network=…, pay_to=…),)))
    def weather(request, city): …
"""

from __future__ import annotations

from payments.seller.decorator import Seller
from payments.seller.facilitators import Facilitator, FacilitatorAway, HttpFacilitator
from payments.seller.offers import Offer
from payments.x402.resource_server import Price, payment_requirements

__all__ = [
    "Facilitator",
    "FacilitatorAway",
    "HttpFacilitator",
    "Offer",
    "Price",
    "Seller",
    "payment_requirements",
]
