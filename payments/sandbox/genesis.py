"""What is in the first ledger: all coins, the friendbot, the issuer, two asset contracts, the settings."""

from __future__ import annotations

from stellar_sdk import Asset, Keypair, xdr

from payments.sandbox import asset_contract, entries, network_settings
from payments.sandbox.closing import Previous
from payments.sandbox.keys import Keys
from payments.sandbox.network import TOTAL_COINS, Network
from payments.sandbox.presence import present
from payments.sandbox.state import Entry, State
from payments.sandbox.trusting import AUTH_REVOCABLE

FRIENDBOT_COINS = TOTAL_COINS // 2
ISSUER_COINS = 10_000_000_000


class Nothing:
    """Below the first ledger there is no entry."""

    def get(self, key: bytes) -> Entry | None:
        return None


def before(close_time: int) -> Previous:
    return Previous(0, bytes(32), close_time, 0, bytes(32))


def made(network: Network, keys: Keys) -> State:
    """The entries of ledger 1."""
    state = State(Nothing(), 1)
    root = Keypair.from_raw_ed25519_seed(network.id).public_key
    coins = TOTAL_COINS - FRIENDBOT_COINS - ISSUER_COINS
    for address, balance in ((root, coins), (keys.friendbot.public_key, FRIENDBOT_COINS)):
        state.put(entries.account_key(address), entries.new_account(address, balance, 0))
    state.put(entries.account_key(keys.issuer), _issuer(keys))
    asset_contract.deploy(state, Asset.native(), network.passphrase)
    asset_contract.deploy(state, keys.asset, network.passphrase)
    for setting in network_settings.all_settings(network):
        data = xdr.LedgerEntryData(xdr.LedgerEntryType.CONFIG_SETTING, config_setting=setting)
        state.put(entries.setting_key(setting.config_setting_id), data)
    return state


def _issuer(keys: Keys) -> xdr.LedgerEntryData:
    """The issuer may take back authorisation; only the sandbox's key signs for it."""
    data = entries.new_account(keys.issuer, ISSUER_COINS, 0, flags=AUTH_REVOCABLE)
    account = present(data.account)
    key = xdr.SignerKey(xdr.SignerKeyType.SIGNER_KEY_TYPE_ED25519, ed25519=xdr.Uint256(keys.minter.raw_public_key()))
    account.signers = [xdr.Signer(key, xdr.Uint32(1))]
    account.num_sub_entries = xdr.Uint32(1)
    account.thresholds = xdr.Thresholds(bytes(4))
    return data
