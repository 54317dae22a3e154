"""What the TypeScript client builds, our verification accepts, and nothing that was changed in it."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

import pytest
from stellar_sdk import Keypair, xdr

from lensproject.core.stellar.rpc import Node as StellarNode
from lensproject.core.x402.wire import (
    PaymentPayload,
    PaymentRequired,
    PaymentRequirements,
    ResourceInfo,
    VerifyResponse,
)
from payments.x402.ledger_keys import Token
from payments.x402.terms import check
from payments.x402.verification import Rules, verify
from tests.interop.conftest import Ledger
from tests.interop.node import Node, ScriptFailed
from tests.interop.test_typescript_facilitator import TESTNET, terms

FACILITATOR = Keypair.from_raw_ed25519_seed(bytes([3]) * 32).public_key


def required(requirements: PaymentRequirements) -> PaymentRequired:
    resource = ResourceInfo(url="https://seller.example/weather", description="Weather", mime_type="application/json")
    return PaymentRequired(x402_version=2, resource=resource, accepts=[requirements])


def built(node: Node, ledger: Ledger, payer: Keypair, requirements: PaymentRequirements) -> dict[str, Any]:
    """A payment by the TypeScript client, as it puts it on the wire."""
    given = {"secret": payer.secret, "rpc": ledger.https, "required": required(requirements).write()}
    payload = node.call("paying", "payload", given)
    assert isinstance(payload, dict)
    return payload


def verified(ledger: Ledger, payload: dict[str, Any], requirements: PaymentRequirements) -> VerifyResponse:
    rules = Rules(networks=frozenset({TESTNET}), own=frozenset({FACILITATOR}))
    token = Token(ledger.asset, ledger.sandbox.code, ledger.sandbox.issuer)

    async def ask() -> VerifyResponse:
        async with StellarNode(ledger.sandbox.url) as node:
            document = PaymentPayload.read(payload)
            return (await verify(document, requirements, node=node, rules=rules, token=token)).response

    return asyncio.run(ask())


def test_our_verification_accepts_what_it_builds(node: Node, ledger: Ledger) -> None:
    payer, requirements = ledger.payer(), terms(ledger)
    payload = built(node, ledger, payer, requirements)
    assert verified(ledger, payload, requirements) == VerifyResponse(is_valid=True, payer=payer.public_key)
    assert ledger.sandbox.balance(payer.public_key) == 10_000_000


def test_it_accepts_our_terms_verbatim_and_echoes_the_resource(node: Node, ledger: Ledger) -> None:
    requirements = terms(ledger)
    payload = built(node, ledger, ledger.payer(), requirements)
    assert payload["x402Version"] == 2
    assert payload["accepted"] == requirements.write()
    assert payload["resource"] == required(requirements).resource.write()


def test_our_quick_reading_reads_what_it_builds(node: Node, ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """The slow way would be right too, but every payment of this client would take it."""
    payer, requirements = ledger.payer(), terms(ledger)
    payload = PaymentPayload.read(built(node, ledger, payer, requirements))
    monkeypatch.delattr("payments.x402.terms.check_slowly")
    checked = check(payload, requirements, networks={TESTNET}, own=frozenset({FACILITATOR}))
    assert (checked.payer, checked.units) == (payer.public_key, 25_000)


def test_a_signature_of_its_own_that_was_changed_is_refused(node: Node, ledger: Ledger) -> None:
    payer, requirements = ledger.payer(), terms(ledger)
    payload = built(node, ledger, payer, requirements)
    raw = bytearray(base64.b64decode(payload["payload"]["transaction"]))
    raw[430] ^= 1
    payload["payload"]["transaction"] = base64.b64encode(raw).decode()
    answer = verified(ledger, payload, requirements)
    assert (answer.is_valid, answer.payer) == (False, payer.public_key)
    assert answer.invalid_reason == "invalid_exact_stellar_payload_missing_payer_signature"


def test_it_builds_what_the_scheme_describes(node: Node, ledger: Ledger) -> None:
    """From nobody's account, unsigned, one operation with one authorisation: what the quick reading relies on."""
    payload = built(node, ledger, ledger.payer(), terms(ledger))
    envelope = xdr.TransactionEnvelope.from_xdr(payload["payload"]["transaction"]).v1
    assert envelope is not None
    assert envelope.signatures == []
    source = envelope.tx.source_account.ed25519
    assert source is not None
    assert source.uint256 == bytes(32)
    assert len(envelope.tx.operations) == 1
    call = envelope.tx.operations[0].body.invoke_host_function_op
    assert call is not None
    assert [entry.credentials.type.name for entry in call.auth] == ["SOROBAN_CREDENTIALS_ADDRESS"]


def test_without_money_it_builds_nothing(node: Node, ledger: Ledger) -> None:
    with pytest.raises(ScriptFailed, match=r"Error\(Contract, #10\)"):
        built(node, ledger, ledger.payer("0.001"), terms(ledger))
