"""The paying side: what is built, what is refused before anything is signed, and that no key is ever needed here."""

from __future__ import annotations

import asyncio
from hashlib import sha256
from typing import Any

import pytest
from stellar_sdk import Keypair, TransactionEnvelope, xdr
from stellar_sdk.auth import authorization_payload_hash, build_authorization_preimage

from lensproject.core.stellar.faults import NodeAway, NodeGarbage
from lensproject.core.stellar.rpc import Node
from lensproject.core.x402.wire import PaymentRequirements, ResourceInfo
from payments.x402 import client, reasons
from payments.x402.building import NULL_ACCOUNT
from payments.x402.client import Unsigned
from payments.x402.reasons import Refused
from tests.core.stellar.scripted import scripted
from tests.payments.sandbox.running import RunningSandbox
from tests.payments.x402 import golden, made
from tests.payments.x402.on_ledger import answer, by_client, terms, token, verified
from tests.servers.ports import free_port


def prepared(url: str, requirements: PaymentRequirements, payer: str, **how: Any) -> Unsigned:
    async def ask() -> Unsigned:
        async with Node(url) as node:
            return await client.prepare(requirements, payer=payer, node=node, **how)

    return asyncio.run(ask())


def completed(url: str, unsigned: Unsigned, signature: bytes) -> str:
    async def ask() -> str:
        async with Node(url) as node:
            return await client.complete(unsigned, signature, node=node)

    return asyncio.run(ask())


@pytest.fixture
def payer(ledger: RunningSandbox) -> Keypair:
    return ledger.funded(Keypair.random(), "1")


@pytest.fixture
def seller(ledger: RunningSandbox) -> str:
    return ledger.funded(Keypair.random(), "0").public_key


def test_what_is_to_be_signed(ledger: RunningSandbox, payer: Keypair, seller: str) -> None:
    unsigned = prepared(ledger.url, terms(ledger, seller), payer.public_key)
    latest = ledger.step(0)
    assert (unsigned.payer, unsigned.expiration, unsigned.latest_ledger) == (payer.public_key, latest + 12, latest)
    assert unsigned.passphrase == ledger.passphrase
    read = xdr.HashIDPreimage.from_xdr_bytes(unsigned.preimage).soroban_authorization
    assert read is not None
    assert (read.nonce.int64, read.signature_expiration_ledger.uint32) == (unsigned.nonce, unsigned.expiration)
    assert read.network_id.hash == sha256(ledger.passphrase.encode()).digest()

    envelope = TransactionEnvelope.from_xdr(unsigned.transaction, ledger.passphrase)
    (entry,) = envelope.transaction.operations[0].auth  # type: ignore[attr-defined]
    assert entry.credentials.address.signature.type == xdr.SCValType.SCV_VOID
    preimage = build_authorization_preimage(entry, unsigned.expiration, ledger.passphrase)
    assert authorization_payload_hash(preimage) == unsigned.digest


def test_an_unsigned_payment_lacks_the_signature_only(ledger: RunningSandbox, payer: Keypair, seller: str) -> None:
    offer = terms(ledger, seller)
    unsigned = prepared(ledger.url, offer, payer.public_key)
    payload = client.payment_payload(offer, unsigned.transaction)
    assert answer(ledger.url, payload, offer)["invalidReason"] == reasons.MISSING_PAYER_SIGNATURE
    signed = completed(ledger.url, unsigned, payer.sign(unsigned.digest))
    payload = client.payment_payload(offer, signed)
    assert answer(ledger.url, payload, offer, token=token(ledger))["isValid"]


def test_a_payment_as_clients_send_it(ledger: RunningSandbox, payer: Keypair, seller: str) -> None:
    offer = terms(ledger, seller)
    payload = by_client(ledger, offer, payer)
    assert payload.write().keys() == {"x402Version", "accepted", "payload"}
    assert payload.accepted == offer
    envelope = TransactionEnvelope.from_xdr(payload.payload["transaction"], ledger.passphrase)
    ready = verified(ledger.url, payload, offer).verified
    assert ready is not None
    assert envelope.transaction.source.account_id == NULL_ACCOUNT
    assert (envelope.transaction.sequence, envelope.signatures) == (1, [])
    assert envelope.transaction.fee == 100 + ready.resource_fee
    bounds = envelope.transaction.preconditions
    assert bounds is not None
    assert bounds.time_bounds is not None
    assert bounds.time_bounds.min_time == 0


def test_resource_and_extensions_are_echoed() -> None:
    resource = ResourceInfo(url="https://weather.example/")
    payload = client.payment_payload(made.terms(), "AAAA", resource=resource, extensions={"bazaar": {"info": {}}})
    assert payload.write() == {
        "x402Version": 2,
        "resource": {"url": "https://weather.example/"},
        "accepted": made.terms().write(),
        "payload": {"transaction": "AAAA"},
        "extensions": {"bazaar": {"info": {}}},
    }


def test_nonces_differ_and_time_can_be_shortened(ledger: RunningSandbox, payer: Keypair, seller: str) -> None:
    offer = terms(ledger, seller, maxTimeoutSeconds=600)
    first = prepared(ledger.url, offer, payer.public_key, seconds=120)
    second = prepared(ledger.url, offer, payer.public_key, seconds=121, ledger_seconds=1)
    assert first.nonce != second.nonce
    latest = ledger.step(0)
    assert (first.expiration, second.expiration) == (latest + 24, latest + 121)
    longer = prepared(ledger.url, terms(ledger, seller), payer.public_key, seconds=1000)
    assert longer.expiration == latest + 12


def test_a_wrong_signature_is_refused_by_the_node(ledger: RunningSandbox, payer: Keypair, seller: str) -> None:
    unsigned = prepared(ledger.url, terms(ledger, seller), payer.public_key)
    with pytest.raises(Refused) as caught:
        completed(ledger.url, unsigned, Keypair.random().sign(unsigned.digest))
    assert (caught.value.reason, caught.value.payer) == (reasons.SIMULATION_FAILED, payer.public_key)
    with pytest.raises(ValueError, match="64 bytes"):
        completed(ledger.url, unsigned, b"short")


def test_what_cannot_be_paid_says_why(ledger: RunningSandbox, payer: Keypair, seller: str) -> None:
    with pytest.raises(Refused) as caught:
        prepared(ledger.url, terms(ledger, seller, amount="10000001"), payer.public_key)
    assert (caught.value.reason, caught.value.extra()) == (
        reasons.SIMULATION_FAILED,
        {"code": "INSUFFICIENT_BALANCE", "details": {"contractError": 10}},
    )
    nobody = Keypair.random()
    ledger.friendbot(nobody.public_key)
    with pytest.raises(Refused) as caught:
        prepared(ledger.url, terms(ledger, nobody.public_key), payer.public_key)
    assert caught.value.extra() == {"code": "TRUSTLINE_REQUIRED", "details": {"contractError": 13}}


@pytest.mark.parametrize(
    ("over", "reason"),
    [
        ({"scheme": "upto"}, reasons.UNSUPPORTED_SCHEME),
        ({"network": "eip155:84532"}, reasons.INVALID_NETWORK),
        ({"amount": "0"}, reasons.INVALID_REQUIREMENTS),
        ({"amount": "1e4"}, reasons.INVALID_REQUIREMENTS),
        ({"maxTimeoutSeconds": 0}, reasons.INVALID_REQUIREMENTS),
        ({"asset": golden.PAY_TO}, reasons.INVALID_REQUIREMENTS),
        ({"payTo": "M" + golden.PAY_TO[1:]}, reasons.INVALID_REQUIREMENTS),
        ({"payTo": golden.PAY_TO.lower()}, reasons.INVALID_REQUIREMENTS),
        ({"extra": None}, reasons.INVALID_REQUIREMENTS),
        ({"extra": {"areFeesSponsored": False}}, reasons.INVALID_REQUIREMENTS),
        ({"extra": {"areFeesSponsored": "true"}}, reasons.INVALID_REQUIREMENTS),
    ],
)
def test_terms_that_this_scheme_cannot_pay_ask_no_node(over: dict[str, Any], reason: str) -> None:
    nowhere = f"http://127.0.0.1:{free_port()}/"
    with pytest.raises(Refused) as caught:
        prepared(nowhere, made.terms(**over), golden.PAYER)
    assert caught.value.reason == reason
    with pytest.raises(NodeAway):
        prepared(nowhere, made.terms(), golden.PAYER)


def recording(*entries: str) -> dict[str, Any]:
    read = xdr.TransactionEnvelope.from_xdr(golden.V1)
    assert read.v1 is not None
    assert read.v1.tx.ext.soroban_data is not None
    return {
        "latestLedger": golden.LATEST,
        "minResourceFee": "20000",
        "transactionData": read.v1.tx.ext.soroban_data.to_xdr(),
        "results": [{"auth": list(entries), "xdr": "AAAAAQ=="}],
        "events": [],
    }


GOOD = made.entry(made.call(), signer=None, address=golden.PAYER, expiration=0)
NEWER = made.entry(made.call(), signer=None, address=golden.PAYER, expiration=0, with_address=True)
OTHER = made.entry(made.call(), signer=None, address=made.OTHER.public_key, expiration=0)
MORE = made.entry(made.call(), signer=None, below=[made.invocation(made.call())])
ELSE = made.entry(made.call(made.arguments(amount=20_000)), signer=None)


@pytest.mark.parametrize("entry", [GOOD, NEWER])
def test_we_sign_the_legacy_form_whatever_a_node_records(entry: xdr.SorobanAuthorizationEntry) -> None:
    async def ask() -> Unsigned:
        async with scripted({"simulateTransaction": recording(entry.to_xdr())}) as there, Node(there.url) as node:
            return await client.prepare(made.terms(), payer=golden.PAYER, node=node)

    unsigned = asyncio.run(ask())
    assert xdr.HashIDPreimage.from_xdr_bytes(unsigned.preimage).soroban_authorization is not None
    assert unsigned.expiration == golden.EXPIRATION


@pytest.mark.parametrize(
    "entries",
    [
        pytest.param([], id="nothing to authorise"),
        pytest.param([OTHER.to_xdr()], id="somebody else"),
        pytest.param([GOOD.to_xdr(), OTHER.to_xdr()], id="somebody else too"),
        pytest.param([MORE.to_xdr()], id="more below"),
        pytest.param([ELSE.to_xdr()], id="another amount"),
        pytest.param(["AAAA"], id="no entry"),
    ],
)
def test_a_token_that_wants_more_authorised_is_not_signed_for(entries: list[str]) -> None:
    async def ask() -> None:
        async with scripted({"simulateTransaction": recording(*entries)}) as there, Node(there.url) as node:
            await client.prepare(made.terms(), payer=golden.PAYER, node=node)

    with pytest.raises(NodeGarbage):
        asyncio.run(ask())
