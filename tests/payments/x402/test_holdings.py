"""What ledger entries, written by stellar-sdk, say of a holding."""

from __future__ import annotations

import pytest
from stellar_sdk import Address, Asset, Keypair, scval, xdr

from lensproject.core.stellar.answers import Entry
from lensproject.core.stellar.faults import NodeGarbage
from payments.x402 import holdings
from payments.x402.holdings import Holding
from payments.x402.ledger_keys import Token
from tests.payments.x402 import golden, made

USDC = Token(golden.ASSET, "USDC", golden.PAY_TO)
LUMENS = Token(Asset.native().contract_id(made.PASSPHRASE), "XLM", "")
CONTRACT = LUMENS.contract
KINDS = xdr.LedgerEntryType
ACCOUNT = Keypair.from_public_key(golden.PAYER).xdr_account_id()


def read(address: str, token: Token, data: xdr.LedgerEntryData | str | None) -> Holding | None:
    key = holdings.key_of(address, token)
    assert key is not None
    text = data.to_xdr() if isinstance(data, xdr.LedgerEntryData) else data
    return holdings.holding(address, token, {} if text is None else {key: Entry(text, 1, None)})


def liabilities(selling: int) -> xdr.Liabilities:
    return xdr.Liabilities(buying=xdr.Int64(5), selling=xdr.Int64(selling))


def trustline(balance: int, *, flags: int = 1, selling: int | None = None) -> xdr.LedgerEntryData:
    more = None if selling is None else xdr.TrustLineEntryV1(liabilities(selling), xdr.TrustLineEntryV1Ext(0))
    entry = xdr.TrustLineEntry(
        ACCOUNT,
        Asset("USDC", golden.PAY_TO).to_trust_line_asset_xdr_object(),
        xdr.Int64(balance),
        xdr.Int64(2**63 - 1),
        xdr.Uint32(flags),
        xdr.TrustLineEntryExt(0) if more is None else xdr.TrustLineEntryExt(1, more),
    )
    return xdr.LedgerEntryData(KINDS.TRUSTLINE, trust_line=entry)


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        pytest.param(trustline(100), Holding(True, True, 100), id="plain"),
        pytest.param(trustline(0), Holding(True, True, 0), id="empty"),
        pytest.param(trustline(100, flags=5), Holding(True, True, 100), id="with clawback"),
        pytest.param(trustline(100, flags=2), Holding(True, False, 100), id="may keep only"),
        pytest.param(trustline(100, flags=0), Holding(True, False, 100), id="not authorised"),
        pytest.param(trustline(100, selling=30), Holding(True, True, 70), id="some is offered for sale"),
        pytest.param(None, Holding(False, False, 0), id="none"),
    ],
)
def test_trustlines(entry: xdr.LedgerEntryData | None, expected: Holding) -> None:
    assert read(golden.PAYER, USDC, entry) == expected


def account(
    balance: int, entries: int = 0, selling: int | None = None, sponsoring: int = 0, sponsored: int = 0
) -> xdr.LedgerEntryData:
    second = xdr.AccountEntryExtensionV2(
        xdr.Uint32(sponsored), xdr.Uint32(sponsoring), [], xdr.AccountEntryExtensionV2Ext(0)
    )
    v1_ext = xdr.AccountEntryExtensionV1Ext(2, second) if sponsoring or sponsored else xdr.AccountEntryExtensionV1Ext(0)
    ext = (
        xdr.AccountEntryExt(0)
        if selling is None
        else xdr.AccountEntryExt(1, xdr.AccountEntryExtensionV1(liabilities(selling), v1_ext))
    )
    entry = xdr.AccountEntry(
        ACCOUNT,
        xdr.Int64(balance),
        xdr.SequenceNumber(xdr.Int64(7)),
        xdr.Uint32(entries),
        None,
        xdr.Uint32(0),
        xdr.String32(b""),
        xdr.Thresholds(b"\1\0\0\0"),
        [],
        ext,
    )
    return xdr.LedgerEntryData(KINDS.ACCOUNT, account=entry)


@pytest.mark.parametrize(
    ("entry", "spendable"),
    [
        pytest.param(account(100_000_000), 90_000_000, id="two reserves"),
        pytest.param(account(100_000_000, entries=3), 75_000_000, id="and one an entry"),
        pytest.param(account(100_000_000, selling=10_000_000), 80_000_000, id="some is offered for sale"),
        pytest.param(account(100_000_000, 3, 0, sponsoring=1, sponsored=2), 80_000_000, id="sponsored entries"),
        pytest.param(account(9_999_999), 0, id="less than the reserve"),
        pytest.param(None, 0, id="no account"),
    ],
)
def test_lumens(entry: xdr.LedgerEntryData | None, spendable: int) -> None:
    assert read(golden.PAYER, LUMENS, entry) == Holding(True, True, spendable)


def contract_balance(amount: int, authorised: bool = True) -> xdr.LedgerEntryData:
    value = scval.to_map(
        {
            scval.to_symbol("amount"): scval.to_int128(amount),
            scval.to_symbol("authorized"): scval.to_bool(authorised),
            scval.to_symbol("clawback"): scval.to_bool(False),
        }
    )
    key = scval.to_vec([scval.to_symbol("Balance"), scval.to_address(CONTRACT)])
    data = xdr.ContractDataEntry(
        xdr.ExtensionPoint(0),
        Address(golden.ASSET).to_xdr_sc_address(),
        key,
        xdr.ContractDataDurability.PERSISTENT,
        value,
    )
    return xdr.LedgerEntryData(KINDS.CONTRACT_DATA, contract_data=data)


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        pytest.param(contract_balance(100), Holding(True, True, 100), id="plain"),
        pytest.param(contract_balance(2**70), Holding(True, True, 2**70), id="more than 64 bits"),
        pytest.param(contract_balance(100, False), Holding(True, False, 100), id="not authorised"),
        pytest.param(None, Holding(True, True, 0), id="none is needed"),
    ],
)
def test_contracts(entry: xdr.LedgerEntryData | None, expected: Holding) -> None:
    assert read(CONTRACT, USDC, entry) == expected


def test_an_issuer_has_no_entry_and_any_amount() -> None:
    assert holdings.holding(golden.PAY_TO, USDC, {}) is None


@pytest.mark.parametrize(("address", "token"), [(golden.PAYER, USDC), (golden.PAYER, LUMENS), (CONTRACT, USDC)])
@pytest.mark.parametrize("text", ["", "*", "AAAA", trustline(1).to_xdr()[:-20]])
def test_entries_that_are_none_are_the_nodes_fault(address: str, token: Token, text: str) -> None:
    with pytest.raises(NodeGarbage):
        read(address, token, text)


def test_settings_that_are_none_are_the_nodes_fault() -> None:
    for text in ("", "AAAA", trustline(1).to_xdr()):
        with pytest.raises(NodeGarbage):
            holdings.minimum_life(Entry(text, 1, None))
