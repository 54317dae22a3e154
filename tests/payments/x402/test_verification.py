"""Verification against the local ledger, by the numbers of the reference's section 11.1."""

from __future__ import annotations

import asyncio
import base64
import dataclasses
import struct

import pytest
from stellar_sdk import Keypair, xdr

from lensproject.core import clock
from lensproject.core.stellar.networks import LOCAL
from lensproject.core.stellar.rpc import Node
from payments.x402 import reasons
from payments.x402.settlement import draft, seal
from payments.x402.verification import verify
from tests.core.stellar.scripted import scripted
from tests.payments.sandbox.running import RunningSandbox
from tests.payments.x402 import golden, made
from tests.payments.x402.on_ledger import RULES, answer, by_client, by_hand, terms, token, verified
from tests.servers.ports import free_port


@pytest.fixture
def payer(ledger: RunningSandbox) -> Keypair:
    return ledger.funded(Keypair.random(), "1")


@pytest.fixture
def seller(ledger: RunningSandbox) -> str:
    return ledger.funded(Keypair.random(), "0").public_key


def test_v1_what_our_client_builds_is_valid(ledger: RunningSandbox, payer: Keypair, seller: str) -> None:
    offer = terms(ledger, seller)
    payload = by_client(ledger, offer, payer)
    found = verified(ledger.url, payload, offer, token=token(ledger), for_settling=True)
    assert found.response.write() == {"isValid": True, "payer": payer.public_key}
    assert found.verified is not None
    latest = ledger.step(0)
    assert found.verified.checked.expiration == latest + 12
    assert (found.verified.latest_ledger, found.verified.unused_at) == (latest, latest)
    assert found.verified.minimum_life is not None
    assert found.verified.minimum_life > 1000
    data = xdr.SorobanTransactionData.from_xdr_bytes(found.verified.resources)
    assert data.resource_fee.int64 == found.verified.resource_fee > 0


def test_v63_verifying_changes_nothing(ledger: RunningSandbox, payer: Keypair, seller: str) -> None:
    offer = terms(ledger, seller)
    payload = by_hand(ledger, offer, payer)
    for for_token in (token(ledger), token(ledger), None):
        assert answer(ledger.url, payload, offer, token=for_token) == {"isValid": True, "payer": payer.public_key}
    assert ledger.balance(payer.public_key) == 10_000_000


@pytest.mark.parametrize(
    ("lasts", "seconds", "reason"),
    [
        pytest.param(12, 60, None, id="V51"),
        pytest.param(14, 60, None, id="V52"),
        pytest.param(15, 60, reasons.EXPIRATION_TOO_FAR, id="V53"),
        pytest.param(12, 30, reasons.EXPIRATION_TOO_FAR, id="V54"),
        pytest.param(8, 30, None, id="V54 at the limit"),
        pytest.param(9, 31, None, id="V54 rounded up"),
        pytest.param(1, 60, None, id="V55 in its last ledger"),
        pytest.param(0, 60, reasons.SIMULATION_FAILED, id="V55 just past"),
        pytest.param(-1, 60, reasons.SIMULATION_FAILED, id="V55"),
    ],
)
def test_how_long_an_authorisation_lasts(
    ledger: RunningSandbox, payer: Keypair, seller: str, lasts: int, seconds: int, reason: str | None
) -> None:
    offer = terms(ledger, seller, maxTimeoutSeconds=seconds)
    found = answer(ledger.url, by_hand(ledger, offer, payer, lasts=lasts), offer, token=token(ledger))
    assert (found["isValid"], found.get("invalidReason")) == (reason is None, reason)
    assert found["payer"] == payer.public_key
    assert (found.get("extra") or {}).get("code") == ("AUTH_EXPIRED" if lasts <= 0 else None)


def test_ledger_seconds_are_a_setting(ledger: RunningSandbox, payer: Keypair, seller: str) -> None:
    offer = terms(ledger, seller)
    payload = by_hand(ledger, offer, payer, lasts=62)
    each_second = dataclasses.replace(RULES, ledger_seconds=1)
    assert answer(ledger.url, payload, offer)["invalidReason"] == reasons.EXPIRATION_TOO_FAR
    assert answer(ledger.url, payload, offer, rules=each_second)["isValid"]


def test_a_used_authorisation(ledger: RunningSandbox, payer: Keypair, seller: str) -> None:
    offer = terms(ledger, seller)
    payload = by_hand(ledger, offer, payer)
    facilitator = ledger.funded(Keypair.random(), "0")
    ready = verified(ledger.url, payload, offer).verified
    assert ready is not None
    unsigned = draft(
        ready,
        source=facilitator.public_key,
        sequence=ledger.account(facilitator.public_key).sequence + 1,
        inclusion_fee=100,
        seconds=60,
        now=clock.now(),
    )
    signed = seal(unsigned, facilitator.sign)

    async def send() -> str:
        async with Node(ledger.url) as node:
            return (await node.send(signed.envelope)).status

    assert asyncio.run(send()) == "PENDING"
    assert ledger.wait(unsigned.hash).status.value == "SUCCESS"
    assert ledger.balance(seller) == 10_000
    assert answer(ledger.url, payload, offer, token=token(ledger)) == {
        "isValid": False,
        "invalidReason": reasons.INVALID_STATE,
        "payer": payer.public_key,
        "extra": {"code": "REPLAY_DETECTED", "details": {}},
    }
    assert answer(ledger.url, by_hand(ledger, offer, payer, nonce=8), offer, token=token(ledger))["isValid"]


@pytest.mark.parametrize(
    "fee", [pytest.param(0, id="V35"), pytest.param(100, id="V36"), pytest.param(60_000, id="V37")]
)
def test_the_clients_fee_means_nothing(ledger: RunningSandbox, payer: Keypair, seller: str, fee: int) -> None:
    offer = terms(ledger, seller)
    payload = by_hand(ledger, offer, payer)
    changed = made.patched(payload.payload["transaction"], 40, struct.pack(">I", fee))
    found = answer(ledger.url, made.paying(changed, accepted=offer.write()), offer, token=token(ledger))
    assert found == {"isValid": True, "payer": payer.public_key}


def test_v38_our_own_ceiling(ledger: RunningSandbox, payer: Keypair, seller: str) -> None:
    offer = terms(ledger, seller)
    payload = by_hand(ledger, offer, payer)
    ready = verified(ledger.url, payload, offer).verified
    assert ready is not None
    costs = ready.resource_fee + RULES.inclusion_fee
    enough = dataclasses.replace(RULES, fee_ceiling=costs)
    less = dataclasses.replace(RULES, fee_ceiling=costs - 1)
    assert answer(ledger.url, payload, offer, rules=enough)["isValid"]
    assert verified(ledger.url, payload, offer, rules=less).response.write() == {
        "isValid": False,
        "invalidReason": reasons.FEE_EXCEEDS_MAXIMUM,
        "invalidMessage": f"simulation-derived fee {costs} stroops exceeds ceiling {costs - 1} stroops",
        "payer": payer.public_key,
    }


def test_client_without_resources_is_fine(ledger: RunningSandbox, payer: Keypair, seller: str) -> None:
    """What S13 asks for at /settle: resources are always our own simulation's."""
    offer = terms(ledger, seller)
    read = xdr.TransactionEnvelope.from_xdr(by_hand(ledger, offer, payer).payload["transaction"])
    assert read.v1 is not None
    read.v1.tx.ext = xdr.TransactionExt(0)
    payload = made.paying(read.to_xdr(), accepted=offer.write())
    found = verified(ledger.url, payload, offer, token=token(ledger))
    assert found.verified is not None
    assert found.verified.resource_fee > 0


def test_two_signers_of_whom_one_signed(ledger: RunningSandbox, payer: Keypair, seller: str) -> None:
    """The signature itself is good, so only the ledger can say that it is not enough."""
    second = Keypair.random()
    ledger.submit(
        payer,
        lambda builder: builder.append_ed25519_public_key_signer(second.public_key, 1).append_set_options_op(
            med_threshold=2, high_threshold=2
        ),
    )
    offer = terms(ledger, seller)
    found = answer(ledger.url, by_hand(ledger, offer, payer), offer, token=token(ledger))
    assert (found["isValid"], found["invalidReason"]) == (False, reasons.SIMULATION_FAILED)


def test_v64_a_node_that_is_away(ledger: RunningSandbox, payer: Keypair, seller: str) -> None:
    offer = terms(ledger, seller)
    payload = by_hand(ledger, offer, payer)
    found = verified(f"http://127.0.0.1:{free_port()}/", payload, offer, token=token(ledger))
    assert found.response.write() == {
        "isValid": False,
        "invalidReason": reasons.UNEXPECTED_VERIFY,
        "invalidMessage": found.response.invalid_message,
        "payer": payer.public_key,
    }
    assert "cannot be reached" in (found.response.invalid_message or "")


def test_a_node_that_is_behind_takes_no_longer_authorisation(
    ledger: RunningSandbox, payer: Keypair, seller: str
) -> None:
    offer = terms(ledger, seller)
    payload = by_hand(ledger, offer, payer)
    ledger.step(3)
    fresh = by_hand(ledger, offer, payer)
    try:
        ledger.control("behind", ledgers=3)
        assert answer(ledger.url, payload, offer)["isValid"]
        assert answer(ledger.url, fresh, offer)["invalidReason"] == reasons.EXPIRATION_TOO_FAR
    finally:
        ledger.control("clear")
    assert answer(ledger.url, fresh, offer)["isValid"]


def test_what_needs_no_node_asks_none() -> None:
    nowhere = f"http://127.0.0.1:{free_port()}/"
    rules = dataclasses.replace(RULES, networks=frozenset({"stellar:testnet"}))
    wrong = made.paying(made.patched(golden.V1, 430, b"\xff"))
    assert answer(nowhere, wrong, made.terms(), rules=rules) == {
        "isValid": False,
        "invalidReason": reasons.MISSING_PAYER_SIGNATURE,
        "payer": golden.PAYER,
    }
    assert answer(nowhere, made.paying(), made.terms(), rules=RULES)["invalidReason"] == reasons.INVALID_NETWORK
    assert LOCAL in RULES.networks


def test_the_whole_envelope_is_never_simulated(ledger: RunningSandbox, payer: Keypair, seller: str) -> None:
    """Source, sequence, memo and bounds of the client could make the simulation say something else."""
    offer = terms(ledger, seller)
    payload = by_hand(ledger, offer, payer)

    async def ask() -> bytes:
        async with scripted({"simulateTransaction": {}, "getLedgerEntries": {}}) as there, Node(there.url) as node:
            await verify(payload, offer, node=node, rules=RULES)
            (params,) = (params for method, params in there.asked if method == "simulateTransaction")
            return base64.b64decode(params["transaction"])

    ours = xdr.TransactionEnvelope.from_xdr_bytes(asyncio.run(ask()))
    theirs = xdr.TransactionEnvelope.from_xdr(payload.payload["transaction"])
    assert ours.v1 is not None
    assert theirs.v1 is not None
    assert ours.v1.tx.operations == theirs.v1.tx.operations
    assert ours.v1.tx.cond.type == xdr.PreconditionType.PRECOND_NONE
    assert ours.v1.tx.ext.soroban_data is None
