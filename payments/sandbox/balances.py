"""What accounts and contracts hold of an asset, moved with the checks of the Stellar Asset Contract."""

from __future__ import annotations

from dataclasses import dataclass

from stellar_sdk import Asset, StrKey, scval, xdr

from payments.sandbox import entries
from payments.sandbox.errors import AssetError, ContractFailed
from payments.sandbox.network import BASE_RESERVE, PERSISTENT
from payments.sandbox.presence import present
from payments.sandbox.state import State

MOST = 2**63 - 1


def reserve(account: xdr.AccountEntry) -> int:
    """Stroops that must stay in an account."""
    return (2 + account.num_sub_entries.uint32) * BASE_RESERVE


@dataclass(frozen=True)
class Holdings:
    """One asset in one state. Every method raises ContractFailed with the contract's own number."""

    state: State
    asset: Asset
    contract: str

    def balance(self, address: str) -> int:
        if not StrKey.is_valid_ed25519_public_key(address):
            return self._contract_balance(address)
        if self.asset.is_native():
            return self._account(address).balance.int64
        if address == self.asset.issuer:
            return MOST
        return self._trustline(address).balance.int64

    def move(self, source: str, destination: str, amount: int) -> None:
        if amount < 0:
            raise ContractFailed(AssetError.NEGATIVE_AMOUNT, f"negative amount is not allowed: {amount}")
        self._add(source, -amount)
        self._add(destination, amount)

    def _add(self, address: str, amount: int) -> None:
        if not StrKey.is_valid_ed25519_public_key(address):
            self._add_to_contract(address, amount)
        elif self.asset.is_native():
            self._add_native(address, amount)
        elif address != self.asset.issuer:
            self._add_to_trustline(address, amount)
        else:
            self._account(address)

    def _add_native(self, address: str, amount: int) -> None:
        account = self._account(address)
        balance = account.balance.int64 + amount
        if (amount < 0 and balance < reserve(account)) or balance > MOST:
            raise ContractFailed(AssetError.BALANCE, "resulting balance is not within the allowed range")
        account.balance = xdr.Int64(balance)
        self.state.put_account(entries.account_key(address), account)

    def _add_to_trustline(self, address: str, amount: int) -> None:
        line = self._trustline(address)
        if not line.flags.uint32 & entries.AUTHORISED:
            raise ContractFailed(AssetError.BALANCE_DEAUTHORISED, f"balance is deauthorized: {address}")
        balance = line.balance.int64 + amount
        if not 0 <= balance <= line.limit.int64:
            raise ContractFailed(AssetError.BALANCE, "resulting balance is not within the allowed range")
        line.balance = xdr.Int64(balance)
        self.state.put_trustline(entries.trustline_key(address, self.asset), line)

    def _add_to_contract(self, address: str, amount: int) -> None:
        balance = self._contract_balance(address) + amount
        if balance < 0:
            raise ContractFailed(AssetError.BALANCE, "balance is not sufficient to spend")
        fields = {
            "amount": scval.to_int128(balance),
            "authorized": scval.to_bool(True),
            "clawback": scval.to_bool(False),
        }
        value = scval.to_map({scval.to_symbol(name): field for name, field in fields.items()})
        key = entries.balance_val(address)
        data = entries.new_contract_data(self.contract, key, value)
        self.state.put(entries.contract_data_key(self.contract, key), data, live_until=PERSISTENT)

    def _contract_balance(self, address: str) -> int:
        entry = self.state.get(entries.contract_data_key(self.contract, entries.balance_val(address)))
        if entry is None:
            return 0
        data = present(entry.read().contract_data)
        return scval.from_int128(scval.from_map(data.val)[scval.to_symbol("amount")])

    def _account(self, address: str) -> xdr.AccountEntry:
        account = self.state.account(entries.account_key(address))
        if account is None:
            raise ContractFailed(AssetError.ACCOUNT_MISSING, f"account entry is missing: {address}")
        return account

    def _trustline(self, address: str) -> xdr.TrustLineEntry:
        line = self.state.trustline(entries.trustline_key(address, self.asset))
        if line is None:
            raise ContractFailed(AssetError.TRUSTLINE_MISSING, f"trustline entry is missing for account {address}")
        return line
