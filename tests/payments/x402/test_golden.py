"""The golden vectors: our reading, our preimages and our own signing agree with what other SDKs made."""

from __future__ import annotations

import base64
from hashlib import sha256

import pytest
from stellar_sdk import xdr

from lensproject.core.stellar.networks import NETWORK_IDS, PUBNET, TESTNET
from lensproject.core.stellar.strkeys import account_address, contract_address
from payments.x402.authorising import account_signature, call_of, operation_of, unsigned_entry, with_signature
from payments.x402.building import NULL_ACCOUNT, to_pay
from payments.x402.envelope import read_envelope, read_transfer
from payments.x402.ledger_keys import address_of
from payments.x402.shape import Shape, read_shape, verifies
from payments.x402.signatures import is_rightly_signed, preimage
from tests.payments.x402 import golden, made

VECTORS = [
    pytest.param(golden.V1, golden.PREIMAGE_HASH, golden.SIGNATURE, "address", id="V1"),
    pytest.param(golden.V2, golden.PREIMAGE_HASH_WITH_ADDRESS, golden.SIGNATURE_WITH_ADDRESS, "address_v2", id="V2"),
]


def shape_of(transaction: str) -> Shape:
    found = read_shape(base64.b64decode(transaction))
    assert found is not None
    return found


@pytest.mark.parametrize(("transaction", "digest", "signature", "kind"), VECTORS)
def test_the_xdr_path_reads_what_the_vector_says(transaction: str, digest: str, signature: str, kind: str) -> None:
    transfer = read_transfer(read_envelope(transaction))
    (entry,) = transfer.authorisations
    assert (transfer.contract, transfer.from_, transfer.to, transfer.units) == (
        golden.ASSET,
        golden.PAYER,
        golden.PAY_TO,
        golden.AMOUNT,
    )
    assert (entry.kind, entry.address, entry.nonce, entry.expiration) == (
        kind,
        golden.PAYER,
        golden.NONCE,
        golden.EXPIRATION,
    )
    assert entry.root == transfer.call
    assert entry.invokes_itself_only


@pytest.mark.parametrize(("transaction", "digest", "signature", "kind"), VECTORS)
def test_preimage_and_signature_are_the_vectors(transaction: str, digest: str, signature: str, kind: str) -> None:
    (entry,) = read_transfer(read_envelope(transaction)).authorisations
    assert sha256(preimage(entry.entry, NETWORK_IDS[TESTNET])).hexdigest() == digest
    assert verifies(made.PAYER.raw_public_key(), bytes.fromhex(digest), bytes.fromhex(signature))
    assert made.PAYER.sign(bytes.fromhex(digest)).hex() == signature
    assert is_rightly_signed(entry, NETWORK_IDS[TESTNET])
    assert not is_rightly_signed(entry, NETWORK_IDS[PUBNET])


@pytest.mark.parametrize(("transaction", "digest", "signature", "kind"), VECTORS)
def test_the_quick_path_reads_the_vectors(transaction: str, digest: str, signature: str, kind: str) -> None:
    found = shape_of(transaction)
    assert account_address(found.source) == NULL_ACCOUNT
    assert (contract_address(found.call.asset), account_address(found.call.payer)) == (golden.ASSET, golden.PAYER)
    assert (address_of(found.call.to), found.call.units) == (golden.PAY_TO, golden.AMOUNT)
    assert found.signer == found.key == found.call.payer
    assert (found.nonce, found.expiration) == (golden.NONCE, golden.EXPIRATION)
    assert (found.signature.hex(), found.binds_address) == (signature, kind == "address_v2")
    assert found.operation == read_transfer(read_envelope(transaction)).operation.to_xdr_bytes()


def test_the_quick_path_knows_for_which_network_was_signed() -> None:
    assert shape_of(golden.V1).is_signed(NETWORK_IDS[TESTNET])
    assert not shape_of(golden.V1).is_signed(NETWORK_IDS[PUBNET])


def test_a_signature_binds_the_kind_of_credentials() -> None:
    assert not shape_of(made.patched(golden.V1, 259, b"\x02")).is_signed(NETWORK_IDS[TESTNET])
    assert not shape_of(made.patched(golden.V2, 259, b"\x01")).is_signed(NETWORK_IDS[TESTNET])


def test_the_v2_vector_differs_in_65_bytes() -> None:
    first, second = base64.b64decode(golden.V1), base64.b64decode(golden.V2)
    different = [at for at, (one, other) in enumerate(zip(first, second, strict=True)) if one != other]
    assert len(first) == 696
    assert set(different) <= {259, *range(424, 488)}


def test_our_client_builds_the_golden_envelope() -> None:
    call = call_of(golden.ASSET, golden.PAYER, golden.PAY_TO, golden.AMOUNT)
    entry = unsigned_entry(golden.PAYER, golden.NONCE, golden.EXPIRATION, call)
    signature = made.PAYER.sign(sha256(preimage(entry, NETWORK_IDS[TESTNET])).digest())
    read = xdr.TransactionEnvelope.from_xdr(golden.V1)
    assert read.v1 is not None
    assert read.v1.tx.ext.soroban_data is not None
    resources = read.v1.tx.ext.soroban_data.to_xdr_bytes()

    unsigned = to_pay(operation_of(call, (entry,)), resources, 20_000, 1_700_000_300)
    operation = with_signature(unsigned, golden.PAYER, account_signature(golden.PAYER, signature))

    assert to_pay(operation, resources, 20_000, 1_700_000_300) == golden.V1
