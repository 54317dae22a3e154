"""Asking a facilitator over HTTP: bounded in time and size, no redirect, nothing of the environment."""

from __future__ import annotations

import http.client
import json
import ssl
from collections.abc import Mapping
from typing import Any, Protocol, TypeVar
from urllib.parse import urlsplit

from lensproject.core.outside import TransactionOpen, is_transaction_open
from lensproject.core.x402.codec import MAX_BYTES, Unreadable, read_json
from lensproject.core.x402.wire import VERSION, PaymentPayload, PaymentRequirements, SettlementResponse, VerifyResponse

Response = TypeVar("Response", VerifyResponse, SettlementResponse)

SECONDS = 90.0
"""As long as other x402 servers wait; a settlement takes several ledgers."""


class FacilitatorAway(Exception):
    """No answer, or none that can be read. What was asked for may have happened."""


class Facilitator(Protocol):
    """Who verifies and settles. Both raise FacilitatorAway."""

    def verify(self, payload: PaymentPayload, requirements: PaymentRequirements) -> VerifyResponse: ...

    def settle(self, payload: PaymentPayload, requirements: PaymentRequirements) -> SettlementResponse: ...


class HttpFacilitator:
    """A facilitator by its URL (`…/facilitator`), with the API key that it asks for."""

    def __init__(self, url: str, *, key: str | None = None, seconds: float = SECONDS) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError("a facilitator's URL begins with http:// or https:// and a host, and has no query")
        self._https, self._host, self._port = parts.scheme == "https", parts.hostname, parts.port
        self._path, self._key, self._seconds = parts.path.rstrip("/"), key, seconds

    def verify(self, payload: PaymentPayload, requirements: PaymentRequirements) -> VerifyResponse:
        return _read(VerifyResponse, self._ask("verify", _question(payload, requirements)))

    def settle(self, payload: PaymentPayload, requirements: PaymentRequirements) -> SettlementResponse:
        return _read(SettlementResponse, self._ask("settle", _question(payload, requirements)))

    def supported(self) -> dict[str, Any]:
        """What it can settle: `kinds`, `extensions`, `signers`. Raises FacilitatorAway."""
        return self._ask("supported", None)

    def _ask(self, call: str, question: Mapping[str, Any] | None) -> dict[str, Any]:
        if is_transaction_open():
            raise TransactionOpen("a facilitator is never asked inside a database transaction: no ATOMIC_REQUESTS here")
        connection = self._connection()
        try:
            method, body = ("GET", None) if question is None else ("POST", json.dumps(question).encode())
            connection.request(method, f"{self._path}/{call}", body, self._headers())
            answer = connection.getresponse()
            raw = answer.read(MAX_BYTES + 1)
        except (OSError, http.client.HTTPException) as error:
            raise FacilitatorAway(f"{call}: the facilitator does not answer ({type(error).__name__})") from error
        finally:
            connection.close()
        if answer.status != 200:
            raise FacilitatorAway(f"{call}: the facilitator answers HTTP {answer.status}")
        try:
            return read_json(raw)
        except Unreadable as error:
            raise FacilitatorAway(f"{call}: the facilitator's answer {error}") from None

    def _connection(self) -> http.client.HTTPConnection:
        if self._https:
            context = ssl.create_default_context()
            return http.client.HTTPSConnection(self._host, self._port, timeout=self._seconds, context=context)
        return http.client.HTTPConnection(self._host, self._port, timeout=self._seconds)

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        return headers if self._key is None else headers | {"Authorization": f"Bearer {self._key}"}


def _question(payload: PaymentPayload, requirements: PaymentRequirements) -> dict[str, Any]:
    documents = {"paymentPayload": payload.write(), "paymentRequirements": requirements.write()}
    return {"x402Version": VERSION, **documents}


def _read(kind: type[Response], document: dict[str, Any]) -> Response:
    try:
        return kind.read(document)
    except Unreadable as error:
        raise FacilitatorAway(f"the facilitator's answer {error}") from None
