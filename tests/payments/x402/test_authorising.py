"""The payer's authorisation: put together, recognised, and signed into a payment."""

from __future__ import annotations

import pytest
from stellar_sdk import scval, xdr

from payments.x402.authorising import account_signature, with_signature
from payments.x402.envelope import read_envelope, read_transfer
from payments.x402.optional import given
from payments.x402.reasons import Refused
from tests.payments.x402 import golden, made
from tests.payments.x402.made import call, entry, with_auth

VOID = with_auth(entry(call(), signer=None, address=golden.PAYER))
SIGNATURE = bytes.fromhex(golden.SIGNATURE)


def test_a_signature_is_put_into_the_payers_entry() -> None:
    operation = with_signature(VOID, golden.PAYER, account_signature(golden.PAYER, SIGNATURE))
    assert operation == read_transfer(read_envelope(golden.V1)).operation.to_xdr_bytes()


def test_into_the_newer_form_too() -> None:
    void = with_auth(entry(call(), signer=None, address=golden.PAYER, with_address=True))
    signature = account_signature(golden.PAYER, bytes.fromhex(golden.SIGNATURE_WITH_ADDRESS))
    assert (
        with_signature(void, golden.PAYER, signature)
        == read_transfer(read_envelope(golden.V2)).operation.to_xdr_bytes()
    )


def test_only_into_the_payers() -> None:
    both = with_auth(
        entry(call(), signer=None, address=made.OTHER.public_key), entry(call(), signer=None, address=golden.PAYER)
    )
    operation = with_signature(both, golden.PAYER, scval.to_bytes(b"signed"))
    body = given(xdr.Operation.from_xdr_bytes(operation).body.invoke_host_function_op)
    values = [given(each.credentials.address).signature.type for each in body.auth]
    assert values == [xdr.SCValType.SCV_VOID, xdr.SCValType.SCV_BYTES]


def test_nobody_elses_payment_is_signed() -> None:
    with pytest.raises(ValueError, match="no authorisation of this payer"):
        with_signature(VOID, made.OTHER.public_key, scval.to_bytes(b"x"))
    with pytest.raises(ValueError, match="no authorisation of this payer"):
        with_signature(with_auth(), golden.PAYER, scval.to_bytes(b"x"))
    with pytest.raises(Refused):
        with_signature("AAAA", golden.PAYER, scval.to_bytes(b"x"))


@pytest.mark.parametrize("signature", [b"", b"x" * 63, b"x" * 65])
def test_an_ed25519_signature_has_64_bytes(signature: bytes) -> None:
    with pytest.raises(ValueError, match="64 bytes"):
        account_signature(golden.PAYER, signature)


def test_a_missing_part_of_xdr_is_named() -> None:
    assert given(0) == 0
    with pytest.raises(ValueError, match="another kind"):
        given(None)
