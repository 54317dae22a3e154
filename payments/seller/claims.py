"""One payment opens one answer: (network, payer, nonce) is claimed with the request's fingerprint before the view runs.

Claims live in a cache of the site. With a cache in the memory of one process, a seller of several processes claims in
each: then the facilitator and the ledger still let a payment move once, and only the work may be done twice.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from django.core.cache import caches
from django.http import HttpRequest, HttpResponse

from payments.seller.payments_sent import Sent

PREFIX = "x402:"
KEPT_BEYOND_SECONDS = 660
"""An authorisation lasts as long as it says and a little more; answers are kept ten minutes longer."""

MOST_BYTES = 256 * 1024


@dataclass(frozen=True)
class Kept:
    """An answer: status, headers and body, without those that are made anew each time."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes = field(repr=False)

    def response(self) -> HttpResponse:
        response = HttpResponse(self.body, status=self.status)
        for name, value in self.headers:
            response[name] = value
        return response


@dataclass(frozen=True)
class Claim:
    """Who has used a payment for what. Neither `kept` nor `receipt`: it runs. `kept` alone: the answer waits for the
    settlement. `receipt` (PAYMENT-RESPONSE): it is settled.
    """

    key: str
    fingerprint: str
    kept: Kept | None = None
    receipt: dict[str, Any] | None = None


class Claims:
    """The claims of a site, in one of its caches."""

    def __init__(self, alias: str = "default") -> None:
        self._alias = alias

    def claim(self, sent: Sent, fingerprint: str) -> Claim | None:
        """None when this request has it now, else the claim that was there."""
        mine = Claim(PREFIX + sha256(sent.key.encode()).hexdigest(), fingerprint)
        for _ in range(3):
            if caches[self._alias].add(mine.key, mine, self._seconds(sent)):
                return None
            found: Claim | None = caches[self._alias].get(mine.key)
            if found is not None:
                return found
        return mine  # It comes and goes between two questions: then it is busy.

    def keep(self, sent: Sent, fingerprint: str, kept: Kept | None, receipt: dict[str, Any] | None) -> None:
        mine = Claim(PREFIX + sha256(sent.key.encode()).hexdigest(), fingerprint)
        caches[self._alias].set(mine.key, replace(mine, kept=kept, receipt=receipt), self._seconds(sent))

    def give_back(self, sent: Sent) -> None:
        """Nothing was handed over: the same payment may open another answer."""
        caches[self._alias].delete(PREFIX + sha256(sent.key.encode()).hexdigest())

    @staticmethod
    def _seconds(sent: Sent) -> int:
        return sent.requirements.max_timeout_seconds + KEPT_BEYOND_SECONDS


def fingerprint_of(request: HttpRequest, url: str) -> str:
    """What was asked for: method, URL with query, and body."""
    head = f"{request.method} {url}\n{request.headers.get('Content-Type', '')}\n".encode()
    return sha256(head + request.body).hexdigest()


def kept_of(response: HttpResponse) -> Kept:
    return Kept(response.status_code, tuple(response.headers.items()), bytes(response.content))
