"""The quick reading accepts nothing that the XDR reading refuses, and gives what it gives."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stellar_sdk import Address, Asset, Keypair, scval, xdr

from lensproject.core.stellar.networks import NETWORK_IDS, TESTNET
from payments.x402 import terms
from payments.x402.reasons import Refused
from payments.x402.shape import read_quickly
from payments.x402.terms import Checked
from tests.payments.x402 import golden, made

OWN = frozenset({golden.FACILITATOR})
SIZE = 696
RESOURCES = 656
"""Where the resources begin in the golden vectors: extension, two empty lists, four numbers, no signatures."""


def quickly(raw: bytes) -> Checked | None:
    found = read_quickly(
        raw,
        asset=golden.ASSET,
        pay_to=golden.PAY_TO,
        units=golden.AMOUNT,
        network_id=NETWORK_IDS[TESTNET],
        own=frozenset({made.FACILITATOR.raw_public_key()}),
    )
    if found is None:
        return None
    return Checked(found.address, found.nonce, found.expiration, golden.AMOUNT, TESTNET, found.operation)


def slowly(raw: bytes) -> Checked | None:
    try:
        return terms.check_slowly(base64.b64encode(raw).decode(), made.terms(), golden.AMOUNT, OWN)
    except Refused:
        return None


def test_every_mutation_of_every_byte() -> None:
    """Each byte to eight other values; what is accepted quickly is accepted slowly, with the same result."""
    accepted = 0
    for transaction in (golden.V1, golden.V2):
        raw = base64.b64decode(transaction)
        assert len(raw) == SIZE
        for at in range(SIZE):
            for flip in (1, 2, 4, 8, 16, 32, 64, 128):
                changed = raw[:at] + bytes((raw[at] ^ flip,)) + raw[at + 1 :]
                quick = quickly(changed)
                if quick is not None:
                    accepted += 1
                    assert slowly(changed) == quick, at
    # Source account, fee, sequence, time bounds and the resources may be anything.
    assert accepted > 1000


@pytest.mark.parametrize("transaction", [golden.V1, golden.V2])
def test_every_length(transaction: str) -> None:
    raw = base64.b64decode(transaction)
    for size in range(SIZE):
        assert quickly(raw[:size]) is None
    for more in (b"\0", b"\0" * 4, raw):
        assert quickly(raw + more) is None
        assert slowly(raw + more) is None


def test_a_source_of_ours_is_never_accepted() -> None:
    raw = base64.b64decode(made.patched(golden.V1, 8, made.FACILITATOR.raw_public_key()))
    assert quickly(raw) is None
    assert slowly(raw) is None


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


@settings(max_examples=200, deadline=None)
@given(resources=st.binary(max_size=200))
def test_any_resources(resources: bytes) -> None:
    """After the authorisation comes what a node said that the transfer needs."""
    changed = base64.b64decode(golden.V1)[:RESOURCES] + resources
    quick = quickly(changed)
    assert quick is None or slowly(changed) == quick


def test_a_transfers_own_footprint_is_read_quickly() -> None:
    """Instance, both trustlines, both accounts, code, a contract's balance and the nonce: what a node says of one."""
    issuer = Keypair.from_public_key(golden.PAY_TO).xdr_account_id()
    asset = Asset("USDC", golden.PAY_TO).to_trust_line_asset_xdr_object()
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
        *(xdr.LedgerKey(kinds.TRUSTLINE, trust_line=xdr.LedgerKeyTrustLine(issuer, of)) for of in (asset, longer)),
        xdr.LedgerKey(kinds.ACCOUNT, account=xdr.LedgerKeyAccount(issuer)),
        xdr.LedgerKey(kinds.CONTRACT_CODE, contract_code=xdr.LedgerKeyContractCode(xdr.Hash(bytes(32)))),
    ]
    for footprint in ([], keys), (keys, keys):
        resources = xdr.SorobanResources(xdr.LedgerFootprint(*footprint), xdr.Uint32(1), xdr.Uint32(2), xdr.Uint32(3))
        data = xdr.SorobanTransactionData(xdr.SorobanTransactionDataExt(0), resources, xdr.Int64(20_000))
        raw = base64.b64decode(golden.V1)[: RESOURCES + 4] + data.to_xdr_bytes() + bytes(4)
        quick = quickly(raw)
        assert quick is not None
        assert quick == slowly(raw)
