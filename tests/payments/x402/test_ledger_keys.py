"""Keys that are put together byte by byte are those that stellar-sdk makes."""

from __future__ import annotations

import pytest
from stellar_sdk import Address, Asset, Keypair, scval, xdr

from payments.x402 import holdings, ledger_keys
from payments.x402.ledger_keys import Token
from tests.payments.x402 import golden, made

KINDS = xdr.LedgerEntryType
USDC = Token(golden.ASSET, "USDC", golden.PAY_TO)
LUMENS = Token(Asset.native().contract_id(made.PASSPHRASE), "XLM", "")


@pytest.mark.parametrize("code", ["A", "USDC", "USDCX", "TWELVELETTER"])
def test_trustlines(code: str) -> None:
    account = Keypair.from_public_key(golden.PAYER).xdr_account_id()
    asset = Asset(code, golden.PAY_TO).to_trust_line_asset_xdr_object()
    expected = xdr.LedgerKey(KINDS.TRUSTLINE, trust_line=xdr.LedgerKeyTrustLine(account, asset))
    assert ledger_keys.trustline(golden.PAYER, Token(golden.ASSET, code, golden.PAY_TO)) == expected.to_xdr()


def test_accounts() -> None:
    account = Keypair.from_public_key(golden.PAYER).xdr_account_id()
    assert (
        ledger_keys.account(golden.PAYER)
        == xdr.LedgerKey(KINDS.ACCOUNT, account=xdr.LedgerKeyAccount(account)).to_xdr()
    )


@pytest.mark.parametrize("address", [golden.PAYER, golden.ASSET])
@pytest.mark.parametrize("value", [0, 42, 2**63 - 1, -(2**63)])
def test_nonces(address: str, value: int) -> None:
    key = xdr.SCVal(xdr.SCValType.SCV_LEDGER_KEY_NONCE, nonce_key=xdr.SCNonceKey(xdr.Int64(value)))
    durability = xdr.ContractDataDurability.TEMPORARY
    data = xdr.LedgerKeyContractData(Address(address).to_xdr_sc_address(), key, durability)
    assert ledger_keys.nonce(address, value) == xdr.LedgerKey(KINDS.CONTRACT_DATA, contract_data=data).to_xdr()


def test_balances_of_contracts() -> None:
    key = scval.to_vec([scval.to_symbol("Balance"), scval.to_address(LUMENS.contract)])
    durability = xdr.ContractDataDurability.PERSISTENT
    data = xdr.LedgerKeyContractData(Address(golden.ASSET).to_xdr_sc_address(), key, durability)
    expected = xdr.LedgerKey(KINDS.CONTRACT_DATA, contract_data=data).to_xdr()
    assert ledger_keys.contract_balance(LUMENS.contract, USDC) == expected
    assert holdings.key_of(LUMENS.contract, USDC) == expected


def test_the_networks_settings() -> None:
    setting = xdr.LedgerKeyConfigSetting(xdr.ConfigSettingID.CONFIG_SETTING_STATE_ARCHIVAL)
    assert ledger_keys.state_archival() == xdr.LedgerKey(KINDS.CONFIG_SETTING, config_setting=setting).to_xdr()


def test_where_a_holding_is() -> None:
    assert holdings.key_of(golden.PAYER, USDC) == ledger_keys.trustline(golden.PAYER, USDC)
    assert holdings.key_of(golden.PAYER, LUMENS) == ledger_keys.account(golden.PAYER)
    assert holdings.key_of(golden.PAY_TO, USDC) is None
