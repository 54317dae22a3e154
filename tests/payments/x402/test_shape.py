"""The quick reading: what has the usual shape gets the same result, and the same reason, as by XDR."""

from __future__ import annotations

import base64
import struct
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stellar_sdk import Address, Asset, Keypair, scval, xdr

from payments.x402 import reasons, terms
from payments.x402.reasons import Refused
from payments.x402.shape import read_shape
from payments.x402.terms import Checked
from tests.payments.x402 import golden, made

OWN = frozenset({golden.FACILITATOR})
SIZE = 696
RESOURCES = 656
"""Where the resources begin in the golden vectors: extension, two empty lists, four numbers, no signatures."""

Outcome = Checked | tuple[str, str, str | None]


def quickly(raw: bytes) -> Outcome | None:
    """None when the shape is another one."""
    shape = read_shape(raw)
    if shape is None:
        return None
    try:
        return terms.check_shape(shape, made.terms(), golden.AMOUNT, OWN)
    except Refused as refused:
        return refused.reason, refused.message, refused.payer


def slowly(raw: bytes) -> Outcome:
    try:
        return terms.check_slowly(base64.b64encode(raw).decode(), made.terms(), golden.AMOUNT, OWN)
    except Refused as refused:
        return refused.reason, refused.message, refused.payer


def accepts(raw: bytes) -> bool:
    return isinstance(quickly(raw), Checked)


@cache
def with_footprint() -> bytes:
    """A golden payment with the resources that a node says a transfer needs: instance, both trustlines, both accounts,
    code, a contract's balance and the nonce.
    """
    issuer = Keypair.from_public_key(golden.PAY_TO).xdr_account_id()
    short = Asset("USDC", golden.PAY_TO).to_trust_line_asset_xdr_object()
    longer = Asset("USDCOIN", golden.PAY_TO).to_trust_line_asset_xdr_object()
    contract = Address(golden.ASSET).to_xdr_sc_address()
    kinds, durability = xdr.LedgerEntryType, xdr.ContractDataDurability
    instance = xdr.SCVal(xdr.SCValType.SCV_LEDGER_KEY_CONTRACT_INSTANCE)
    nonce = xdr.SCVal(xdr.SCValType.SCV_LEDGER_KEY_NONCE, nonce_key=xdr.SCNonceKey(xdr.Int64(-42)))
    balance = scval.to_vec([scval.to_symbol("Balance"), scval.to_address(golden.ASSET)])
    lasting = [xdr.LedgerKeyContractData(contract, key, durability.PERSISTENT) for key in (instance, balance)]
    passing = xdr.LedgerKeyContractData(Address(golden.PAYER).to_xdr_sc_address(), nonce, durability.TEMPORARY)
    keys = [
        *(xdr.LedgerKey(kinds.CONTRACT_DATA, contract_data=data) for data in (*lasting, passing)),
        *(xdr.LedgerKey(kinds.TRUSTLINE, trust_line=xdr.LedgerKeyTrustLine(issuer, of)) for of in (short, longer)),
        xdr.LedgerKey(kinds.ACCOUNT, account=xdr.LedgerKeyAccount(issuer)),
        xdr.LedgerKey(kinds.CONTRACT_CODE, contract_code=xdr.LedgerKeyContractCode(xdr.Hash(bytes(32)))),
    ]
    resources = xdr.SorobanResources(xdr.LedgerFootprint(keys[:1], keys), xdr.Uint32(1), xdr.Uint32(2), xdr.Uint32(3))
    data = xdr.SorobanTransactionData(xdr.SorobanTransactionDataExt(0), resources, xdr.Int64(20_000))
    return base64.b64decode(golden.V1)[: RESOURCES + 4] + data.to_xdr_bytes() + bytes(4)


@pytest.mark.parametrize("raw", [base64.b64decode(golden.V1), base64.b64decode(golden.V2), with_footprint()])
def test_every_bit_of_a_payment(raw: bytes) -> None:
    """What still has the shape is judged alike; most bits of the call and of the signature break the payment."""
    accepted = refused = 0
    for at in range(len(raw)):
        for bit in (1, 8, 128):
            changed = raw[:at] + bytes((raw[at] ^ bit,)) + raw[at + 1 :]
            outcome = quickly(changed)
            if outcome is not None:
                assert outcome == slowly(changed), (at, bit)
                accepted, refused = accepted + isinstance(outcome, Checked), refused + isinstance(outcome, tuple)
    # Source account, fee, sequence and the numbers of the resources may be anything; keys, amount and signature not.
    assert accepted > 150
    assert refused > 200


@pytest.mark.parametrize("transaction", [golden.V1, golden.V2])
def test_every_length(transaction: str) -> None:
    raw = base64.b64decode(transaction)
    for size in range(SIZE):
        assert quickly(raw[:size]) is None
    for more in (b"\0", b"\0" * 4, raw):
        assert quickly(raw + more) is None
        assert slowly(raw + more)[0] == reasons.MALFORMED  # type: ignore[index]


def test_a_source_of_ours_is_never_accepted() -> None:
    raw = base64.b64decode(made.patched(golden.V1, 8, made.FACILITATOR.raw_public_key()))
    assert quickly(raw) == slowly(raw)
    assert not accepts(raw)


@settings(max_examples=300, deadline=None)
@given(
    start=st.integers(0, SIZE),
    end=st.integers(0, SIZE),
    filling=st.binary(max_size=120),
    vector=st.sampled_from([golden.V1, golden.V2]),
)
def test_any_stretch_replaced(start: int, end: int, filling: bytes, vector: str) -> None:
    raw = base64.b64decode(vector)
    changed = raw[:start] + filling + raw[max(start, end) :]
    quick = quickly(changed)
    assert quick is None or slowly(changed) == quick


@settings(max_examples=300, deadline=None)
@given(resources=st.binary(max_size=200))
def test_any_resources(resources: bytes) -> None:
    """After the authorisation comes what a node said that the transfer needs."""
    changed = base64.b64decode(golden.V1)[:RESOURCES] + resources
    quick = quickly(changed)
    assert quick is None or slowly(changed) == quick


def test_a_transfers_own_footprint_has_the_shape() -> None:
    assert accepts(with_footprint())
    assert quickly(with_footprint()) == slowly(with_footprint())


def test_vectors_without_end_have_not_the_shape() -> None:
    """Read one inside the other they would exhaust the stack."""
    contract = Address(golden.ASSET).to_xdr_sc_address().to_xdr_bytes()
    deep = struct.pack(">iiI", 16, 1, 1) * 3_000
    raw = base64.b64decode(golden.V1)[:RESOURCES] + struct.pack(">iiIi", 1, 0, 1, 6) + contract + deep
    assert quickly(raw) is None
    assert slowly(raw) == (reasons.MALFORMED, "payload.transaction is no transaction envelope", None)


@settings(max_examples=300, deadline=None)
@given(at=st.integers(RESOURCES, len(with_footprint()) - 1), filling=st.binary(min_size=1, max_size=8))
def test_any_bytes_within_the_footprint(at: int, filling: bytes) -> None:
    raw = with_footprint()
    changed = raw[:at] + filling + raw[at + len(filling) :]
    outcome = quickly(changed)
    assert outcome is None or outcome == slowly(changed)
