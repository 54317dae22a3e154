"""A facilitator over real HTTP whose answers a test writes down, and a view that says how often it ran."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.test import RequestFactory

from lensproject.core.x402.codec import decode_header, encode_header
from lensproject.core.x402.wire import PaymentPayload
from payments.seller import HttpFacilitator, Offer, Seller
from tests.payments.x402 import golden
from tests.payments.x402.made import paying, terms

HASH = "ab" * 32
VALID = {"isValid": True, "payer": golden.PAYER}
SETTLED = {"success": True, "payer": golden.PAYER, "transaction": HASH, "network": "stellar:testnet"}
PENDING = {
    "success": False,
    "errorReason": "settlement_pending",
    "transaction": HASH,
    "network": "stellar:testnet",
}
BAZAAR = {
    "info": {"input": {"type": "http", "method": "GET"}},
    "schema": {"type": "object", "properties": {"input": {"type": "object"}}, "required": ["input"]},
}


@dataclass
class Script:
    """What is answered: documents in turn, the last one again and again. A text or a status is answered as it is."""

    verify: list[Any] = field(default_factory=lambda: [VALID])
    settle: list[Any] = field(default_factory=lambda: [SETTLED])
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    url: str = ""

    def calls(self) -> list[str]:
        return [call for call, _ in self.asked]

    def answer(self, call: str) -> Any:
        answers = getattr(self, call)
        return answers.pop(0) if len(answers) > 1 else answers[0]


@contextmanager
def scripted() -> Iterator[Script]:
    script = Script()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            call = self.path.rsplit("/", 1)[-1]
            script.asked.append((call, json.loads(self.rfile.read(int(self.headers["Content-Length"])))))
            script.keys.append(self.headers.get("Authorization"))
            answer = script.answer(call)
            status = answer if isinstance(answer, int) else 200
            raw = answer.encode() if isinstance(answer, str) else json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, format: str, *args: Any) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    script.url = f"http://127.0.0.1:{server.server_port}/facilitator"
    try:
        yield script
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Shop:
    """One paid view at /weather/Oslo, asked as a client asks it."""

    def __init__(self, script: Script, **seller: Any) -> None:
        self.script = script
        self.ran = 0
        self.seller = Seller(HttpFacilitator(script.url), **seller)
        self.offer = Offer(accepts=(terms(),), description="The weather <now>", extensions={"bazaar": BAZAAR})
        self.answer: Any = lambda request: JsonResponse({"sky": "clear"}, headers={"ETag": '"1"'})

    def view(self, request: HttpRequest) -> HttpResponse:
        self.ran += 1
        found = self.answer(request)
        assert isinstance(found, HttpResponse) or found.streaming
        return found  # type: ignore[no-any-return]

    def ask(self, payment: PaymentPayload | str | None = None, path: str = "/weather/Oslo", **headers: str) -> Any:
        """The answer to a GET. `payment` is a payload, or the header as it is."""
        if payment is not None:
            text = payment if isinstance(payment, str) else encode_header(payment.write())
            headers["PAYMENT-SIGNATURE"] = text
        return self.seller.paid(self.offer)(self.view)(RequestFactory().get(path, headers=headers))

    @staticmethod
    def payment(**over: Any) -> PaymentPayload:
        return paying(**over)


def required(response: HttpResponse) -> dict[str, Any]:
    return decode_header(response["PAYMENT-REQUIRED"])


def receipt(response: HttpResponse) -> dict[str, Any]:
    return decode_header(response["PAYMENT-RESPONSE"])
