"""Signatures that were made elsewhere (the JavaScript SDK agrees on them) are good here, and changed ones are not."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest
from stellar_sdk import Keypair, TransactionEnvelope, xdr
from stellar_sdk.operation import InvokeHostFunction

from payments.sandbox import faucet
from payments.sandbox.authorisation import payload
from payments.sandbox.network import network
from payments.sandbox.signatures import is_signed
from tests.payments.sandbox.bench import Bench

PAYER, PAYEE = (Keypair.from_raw_ed25519_seed(bytes([number]) * 32) for number in (1, 2))
CONTRACT = "CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA"
V1_HASH = "fce3da82d4fadb3af87b2928cdf60fdba835a5f03bd0f3330736fde176ca6e63"
V2_HASH = "d57974becb36ee9d7709f12f8710ac4b0824cd233d5a3c445fd88b2d4c2b820a"
V1_SIGNATURE = (
    "a40435b50c9d55fc59b9ae1bdcb196b0ebffcda4c2bb4f1671aa046f2bcd5dea"
    "bb61ff485d062b156d3c7247b34898edbc17ac521c12505857896c79c8b6f60b"
)
V2_SIGNATURE = (
    "94aa17751c8b2a05bf1658561d2095088d6d481554c9ab4f3fbbd57ffcf6f189"
    "1980a27dcb6bb761926e4ff54989082df0333425d59f17710023af8fe38e7906"
)
V1_ENVELOPE = (
    "AAAAAgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAToQAAAAAAAAAAQAAAAEAAAAAAAAAAAAAAABlU/IsAAAAAAAAAAEA"
    "AAAAAAAAGAAAAAAAAAABUEXNXsBymnaP1a0CUFhS308Cjc6DDlrFIgm6SEg7LwEAAAAIdHJhbnNmZXIAAAADAAAAEgAAAAAAAAAAiojj3XQJ8ZX9"
    "UtstPLpdcspnCb8dlBIb83SIAbQPb1wAAAASAAAAAAAAAACBOXcOqH0XX1ajVGbDTH7My42KkbTuN6Jd9g9bj8mzlAAAAAoAAAAAAAAAAAAAAAAA"
    "ACcQAAAAAQAAAAEAAAAAAAAAAIqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29cAAAAAAAAACoAD0JMAAAAEAAAAAEAAAABAAAAEQAAAAEA"
    "AAACAAAADwAAAApwdWJsaWNfa2V5AAAAAAANAAAAIIqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29cAAAADwAAAAlzaWduYXR1cmUAAAAA"
    "AAANAAAAQKQENbUMnVX8WbmuG9yxlrDr/82kwrtPFnGqBG8rzV3qu2H/SF0GKxVtPHJHs0iY7bwXrFIcElBYV4lseci29gsAAAAAAAAAAVBFzV7A"
    "cpp2j9WtAlBYUt9PAo3Ogw5axSIJukhIOy8BAAAACHRyYW5zZmVyAAAAAwAAABIAAAAAAAAAAIqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0"
    "D29cAAAAEgAAAAAAAAAAgTl3Dqh9F19Wo1Rmw0x+zMuNipG07jeiXfYPW4/Js5QAAAAKAAAAAAAAAAAAAAAAAAAnEAAAAAAAAAABAAAAAAAAAAAA"
    "AAAAAA9CQAAAA+gAAAPoAAAAAAAATiAAAAAA"
)


def v2_envelope() -> str:
    """It differs from the first in 65 bytes: the kind of credentials, and the signature."""
    raw = bytearray(base64.b64decode(V1_ENVELOPE))
    raw[259] = 2
    raw[424:488] = bytes.fromhex(V2_SIGNATURE)
    return base64.b64encode(raw).decode()


ENVELOPES = {"ADDRESS": V1_ENVELOPE, "ADDRESS_V2": v2_envelope()}


@pytest.fixture
def testnet(tmp_path: Path) -> Iterator[Bench]:
    """As testnet, with the payer's money in the asset that the vectors name."""
    made = Bench(tmp_path, "stellar:testnet")
    for keypair in (PAYER, PAYEE):
        faucet.fund(made.node, keypair.public_key)
        made.done(keypair, lambda builder: builder.append_change_trust_op(made.asset))
    faucet.mint(made.node, PAYER.public_key, "1")
    yield made
    made.node.store.close()


def entry_of(envelope: str) -> xdr.SorobanAuthorizationEntry:
    operation = TransactionEnvelope.from_xdr(envelope, network("stellar:testnet").passphrase).transaction.operations[0]
    assert isinstance(operation, InvokeHostFunction)
    return operation.auth[0]


@pytest.mark.parametrize(
    ("kind", "hashed", "signature"), [("ADDRESS", V1_HASH, V1_SIGNATURE), ("ADDRESS_V2", V2_HASH, V2_SIGNATURE)]
)
def test_the_payload_and_its_signature_are_those_of_the_vector(kind: str, hashed: str, signature: str) -> None:
    entry = entry_of(ENVELOPES[kind])
    found = payload(network("stellar:testnet").id, entry.credentials, entry.root_invocation)
    assert found.hex() == hashed
    assert is_signed(PAYER.raw_public_key(), found, bytes.fromhex(signature))
    assert not is_signed(PAYEE.raw_public_key(), found, bytes.fromhex(signature))


@pytest.mark.parametrize("kind", ENVELOPES)
def test_another_network_signs_something_else(kind: str) -> None:
    entry = entry_of(ENVELOPES[kind])
    found = payload(network("stellar:local").id, entry.credentials, entry.root_invocation)
    assert found.hex() not in (V1_HASH, V2_HASH)


def test_the_contract_of_the_vector_is_the_ledgers_own(testnet: Bench) -> None:
    assert testnet.contract == CONTRACT


@pytest.mark.parametrize("kind", ENVELOPES)
def test_the_vector_is_enforced_and_passes(testnet: Bench, kind: str) -> None:
    answer = testnet.ask("simulateTransaction", transaction=ENVELOPES[kind])
    assert "error" not in answer
    assert answer["results"][0]["auth"] == []
    assert 10_000 < int(answer["minResourceFee"]) < 49_900


@pytest.mark.parametrize("kind", ENVELOPES)
def test_the_vector_pays_once(testnet: Bench, kind: str) -> None:
    sender = testnet.account(None)
    entry = entry_of(ENVELOPES[kind])
    built = testnet.transfer(sender, entry, PAYER, PAYEE.public_key, 10_000)
    assert testnet.apply(built).succeeded
    assert (testnet.units(PAYER), testnet.units(PAYEE)) == (9_990_000, 10_000)
    again = testnet.ask("simulateTransaction", transaction=ENVELOPES[kind])
    assert again["error"].startswith("HostError: Error(Auth, ExistingValue)")


@pytest.mark.parametrize("kind", ENVELOPES)
@pytest.mark.parametrize("position", [424, 455, 487])
def test_one_changed_byte_of_the_signature_is_refused(testnet: Bench, kind: str, position: int) -> None:
    raw = bytearray(base64.b64decode(ENVELOPES[kind]))
    raw[position] ^= 1
    answer = testnet.ask("simulateTransaction", transaction=base64.b64encode(raw).decode())
    assert answer["error"].startswith("HostError: Error(Crypto, InvalidInput)")
    assert testnet.units(PAYER) == 10_000_000


@pytest.mark.parametrize(("made", "other"), [("ADDRESS", 2), ("ADDRESS_V2", 1)])
def test_a_signature_of_one_kind_is_none_of_the_other(testnet: Bench, made: str, other: int) -> None:
    raw = bytearray(base64.b64decode(ENVELOPES[made]))
    raw[259] = other
    answer = testnet.ask("simulateTransaction", transaction=base64.b64encode(raw).decode())
    assert answer["error"].startswith("HostError: Error(Crypto, InvalidInput)")


@pytest.mark.parametrize("kind", ENVELOPES)
def test_the_vector_is_refused_on_another_network(bench: Bench, kind: str) -> None:
    """The contract of testnet's asset is no contract here."""
    answer = bench.ask("simulateTransaction", transaction=ENVELOPES[kind])
    assert answer["error"].startswith("HostError: Error(Storage, MissingValue)")


@pytest.mark.parametrize("kind", ENVELOPES)
def test_a_changed_nonce_or_expiration_breaks_the_signature(testnet: Bench, kind: str) -> None:
    for change in (
        b"\x00\x00\x00\x00\x00\x00\x00\x2b\x00\x0f\x42\x4c",
        b"\x00\x00\x00\x00\x00\x00\x00\x2a\x00\x0f\x42\x4d",
    ):
        raw = base64.b64decode(ENVELOPES[kind]).replace(b"\x00\x00\x00\x00\x00\x00\x00\x2a\x00\x0f\x42\x4c", change)
        answer = testnet.ask("simulateTransaction", transaction=base64.b64encode(raw).decode())
        assert answer["error"].startswith("HostError: Error(Crypto, InvalidInput)")
