"""Two generations of the JavaScript SDK make the golden vectors, byte for byte."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.interop import vectors
from tests.interop.node import Node, ScriptFailed

SDKS = (14, 17)


def made(node: Node, version: int, credentials: str = "address", **other: Any) -> dict[str, Any]:
    given: dict[str, Any] = {
        "version": version,
        "credentials": credentials,
        "seed": vectors.PAYER_SEED,
        "to": vectors.PAY_TO,
        "asset": vectors.ASSET,
        "amount": vectors.AMOUNT,
        "nonce": vectors.NONCE,
        "expiration": vectors.EXPIRATION,
        "passphrase": vectors.PASSPHRASE,
        "maxTime": vectors.MAX_TIME,
    }
    payment = node.call("golden", "payment", {**given, **other})
    assert isinstance(payment, dict)
    return payment


def verified(node: Node, version: int, transaction: str, passphrase: str = vectors.PASSPHRASE) -> Any:
    given = {"version": version, "transaction": transaction, "passphrase": passphrase}
    return node.call("golden", "verified", given)


def golden_v2() -> str:
    """The vector with credentials that bind the address: the discriminant and the signature differ."""
    raw = bytearray(base64.b64decode(vectors.TRANSACTION))
    raw[259] = 2
    raw[424:488] = bytes.fromhex(vectors.SIGNATURE_V2)
    return base64.b64encode(raw).decode()


@pytest.mark.parametrize("version", SDKS)
def test_the_signed_hash_the_signature_and_the_envelope_are_the_golden_ones(node: Node, version: int) -> None:
    assert made(node, version) == {
        "payer": vectors.PAYER,
        "hash": vectors.HASH,
        "signature": vectors.SIGNATURE,
        "transaction": vectors.TRANSACTION,
    }


def test_credentials_that_bind_the_address_are_the_golden_ones(node: Node) -> None:
    assert made(node, 17, "addressV2") == {
        "payer": vectors.PAYER,
        "hash": vectors.HASH_V2,
        "signature": vectors.SIGNATURE_V2,
        "transaction": golden_v2(),
    }


def test_the_older_sdk_knows_no_credentials_that_bind_the_address(node: Node) -> None:
    with pytest.raises(ScriptFailed, match="knows no sorobanCredentialsAddressV2"):
        made(node, 14, "addressV2")
    with pytest.raises(ScriptFailed):
        verified(node, 14, golden_v2())


@pytest.mark.parametrize("other", [{"nonce": "43"}, {"amount": "10001"}, {"expiration": 1_000_013}])
@pytest.mark.parametrize("version", SDKS)
def test_anything_else_gives_another_hash_and_signature(node: Node, version: int, other: dict[str, Any]) -> None:
    payment = made(node, version, **other)
    assert payment["hash"] != vectors.HASH
    assert payment["signature"] != vectors.SIGNATURE


@pytest.mark.parametrize("version", SDKS)
def test_the_golden_signature_is_the_payers_and_only_on_its_network(node: Node, version: int) -> None:
    assert verified(node, version, vectors.TRANSACTION) == {"right": True, "publicKey": vectors.PAYER}
    other = verified(node, version, vectors.TRANSACTION, "Standalone Network ; February 2017")
    assert other == {"right": False, "publicKey": vectors.PAYER}


def test_the_golden_signature_over_the_address_is_the_payers(node: Node) -> None:
    assert verified(node, 17, golden_v2()) == {"right": True, "publicKey": vectors.PAYER}


@pytest.mark.parametrize("version", SDKS)
def test_a_flipped_bit_in_the_signature_is_seen(node: Node, version: int) -> None:
    raw = bytearray(base64.b64decode(vectors.TRANSACTION))
    raw[430] ^= 1
    assert verified(node, version, base64.b64encode(raw).decode())["right"] is False
