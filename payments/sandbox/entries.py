"""Ledger keys as bytes, and new ledger entries. Addresses are texts: G… for accounts, C… for contracts."""

from __future__ import annotations

from functools import lru_cache

from stellar_sdk import Address, Asset, Keypair, scval, xdr

from payments.sandbox.presence import present

NONE = xdr.ExtensionPoint(0)
AUTHORISED = xdr.TrustLineFlags.AUTHORIZED_FLAG.value
INSTANCE = xdr.SCVal(xdr.SCValType.SCV_LEDGER_KEY_CONTRACT_INSTANCE)


@lru_cache(4096)
def account_id(address: str) -> xdr.AccountID:
    return Keypair.from_public_key(address).xdr_account_id()


@lru_cache(4096)
def account_key(address: str) -> bytes:
    kind = xdr.LedgerEntryType.ACCOUNT
    return xdr.LedgerKey(kind, account=xdr.LedgerKeyAccount(account_id(address))).to_xdr_bytes()


@lru_cache(4096)
def _trustline_key(address: str, code: str, issuer: str) -> bytes:
    line = xdr.LedgerKeyTrustLine(account_id(address), Asset(code, issuer).to_trust_line_asset_xdr_object())
    return xdr.LedgerKey(xdr.LedgerEntryType.TRUSTLINE, trust_line=line).to_xdr_bytes()


def trustline_key(address: str, asset: Asset) -> bytes:
    return _trustline_key(address, asset.code, present(asset.issuer))


def contract_data_key(
    address: str, key: xdr.SCVal, durability: xdr.ContractDataDurability = xdr.ContractDataDurability.PERSISTENT
) -> bytes:
    data = xdr.LedgerKeyContractData(Address(address).to_xdr_sc_address(), key, durability)
    return xdr.LedgerKey(xdr.LedgerEntryType.CONTRACT_DATA, contract_data=data).to_xdr_bytes()


@lru_cache(256)
def instance_key(contract: str) -> bytes:
    return contract_data_key(contract, INSTANCE)


def nonce_val(nonce: int) -> xdr.SCVal:
    return xdr.SCVal(xdr.SCValType.SCV_LEDGER_KEY_NONCE, nonce_key=xdr.SCNonceKey(xdr.Int64(nonce)))


def nonce_key(address: str, nonce: int) -> bytes:
    return contract_data_key(address, nonce_val(nonce), xdr.ContractDataDurability.TEMPORARY)


def balance_val(address: str) -> xdr.SCVal:
    return scval.to_vec([scval.to_symbol("Balance"), scval.to_address(address)])


def setting_key(setting: xdr.ConfigSettingID) -> bytes:
    kind = xdr.LedgerEntryType.CONFIG_SETTING
    return xdr.LedgerKey(kind, config_setting=xdr.LedgerKeyConfigSetting(setting)).to_xdr_bytes()


def new_account(address: str, balance: int, sequence: int, *, flags: int = 0) -> xdr.LedgerEntryData:
    """An account with its master key of weight 1 and thresholds 0."""
    account = xdr.AccountEntry(
        account_id=account_id(address),
        balance=xdr.Int64(balance),
        seq_num=xdr.SequenceNumber(xdr.Int64(sequence)),
        num_sub_entries=xdr.Uint32(0),
        inflation_dest=None,
        flags=xdr.Uint32(flags),
        home_domain=xdr.String32(b""),
        thresholds=xdr.Thresholds(bytes((1, 0, 0, 0))),
        signers=[],
        ext=xdr.AccountEntryExt(0),
    )
    return xdr.LedgerEntryData(xdr.LedgerEntryType.ACCOUNT, account=account)


def new_trustline(address: str, asset: Asset, limit: int, *, authorised: bool) -> xdr.LedgerEntryData:
    line = xdr.TrustLineEntry(
        account_id=account_id(address),
        asset=asset.to_trust_line_asset_xdr_object(),
        balance=xdr.Int64(0),
        limit=xdr.Int64(limit),
        flags=xdr.Uint32(AUTHORISED if authorised else 0),
        ext=xdr.TrustLineEntryExt(0),
    )
    return xdr.LedgerEntryData(xdr.LedgerEntryType.TRUSTLINE, trust_line=line)


def new_contract_data(
    address: str,
    key: xdr.SCVal,
    value: xdr.SCVal,
    durability: xdr.ContractDataDurability = xdr.ContractDataDurability.PERSISTENT,
) -> xdr.LedgerEntryData:
    data = xdr.ContractDataEntry(NONE, Address(address).to_xdr_sc_address(), key, durability, value)
    return xdr.LedgerEntryData(xdr.LedgerEntryType.CONTRACT_DATA, contract_data=data)
