"""Our facilitator as a real process on a ledger: its rows, its settings, and its three questions over HTTP."""

from __future__ import annotations

import json
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

from stellar_sdk import Keypair

from tests.builders import make_asset, make_network, make_source_account
from tests.payments.sandbox.running import RunningSandbox

Json = dict[str, Any]


def facilitator_rows(ledger: RunningSandbox, *, rpc_url: str | None = None) -> dict[str, str]:
    """Its network, asset and one funded account, in this process's database. Gives the settings that it needs.

    `rpc_url` is a node of that ledger in place of the ledger itself.
    """
    keypair = Keypair.random()
    ledger.friendbot(keypair.public_key)
    network = make_network(ledger.network, rpc_url=rpc_url or ledger.url)
    make_asset(ledger.code, network=network, issuer=ledger.issuer)
    make_source_account(network=network, address=keypair.public_key, key_name="facilitator")
    return {
        "LENS_FACILITATOR_KEY": keypair.raw_secret_key().hex(),
        "LENS_FACILITATOR_OPEN": "true",
        "LENS_FACILITATOR_PER_MINUTE": "0",
    }


def supported(url: str) -> Json:
    return _asked(url, "GET", "supported")


def verify(url: str, payload: Json, requirements: Json) -> Json:
    return _asked(url, "POST", "verify", _both(payload, requirements))


def settle(url: str, payload: Json, requirements: Json) -> Json:
    return _asked(url, "POST", "settle", _both(payload, requirements))


def _both(payload: Json, requirements: Json) -> bytes:
    return json.dumps({"x402Version": 2, "paymentPayload": payload, "paymentRequirements": requirements}).encode()


def _asked(url: str, method: str, question: str, body: bytes | None = None) -> Json:
    connection = HTTPConnection(urlsplit(url).netloc, timeout=50)
    try:
        connection.request(method, f"/facilitator/{question}", body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
    finally:
        connection.close()
    assert answer.status == 200, text
    found = json.loads(text)
    assert isinstance(found, dict)
    return found
