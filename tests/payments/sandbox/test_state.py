"""Layers of state, and entries as bytes."""

from __future__ import annotations

import pytest
from stellar_sdk import Asset, Keypair, scval, xdr

from payments.sandbox import entries
from payments.sandbox.errors import HostError
from payments.sandbox.genesis import Nothing
from payments.sandbox.host import Footprinted
from payments.sandbox.state import Change, Entry, State, changes_xdr

OWNER = Keypair.from_raw_ed25519_seed(b"7" * 32).public_key
KEY = entries.account_key(OWNER)
ISSUER = Keypair.from_raw_ed25519_seed(b"8" * 32).public_key


def account(balance: int) -> xdr.LedgerEntryData:
    return entries.new_account(OWNER, balance, 5)


def balance(state: State) -> int | None:
    found = state.account(KEY)
    return None if found is None else found.balance.int64


def test_a_layer_is_kept_or_dropped_as_a_whole() -> None:
    base = State(Nothing(), 9)
    base.put(KEY, account(1))
    dropped, kept = base.layer(), base.layer()
    dropped.put(KEY, account(2))
    assert (balance(dropped), balance(base)) == (2, 1)
    kept.delete(KEY)
    assert (balance(kept), balance(base)) == (None, 1)
    kept.keep()
    assert balance(base) is None


def test_the_lowest_layer_cannot_be_kept() -> None:
    with pytest.raises(TypeError, match="kept by storing it"):
        State(Nothing(), 1).keep()


def test_what_is_read_can_be_changed_without_harm() -> None:
    state = State(Nothing(), 9)
    state.put(KEY, account(1))
    found = state.account(KEY)
    assert found is not None
    found.balance = xdr.Int64(99)
    assert balance(state) == 1


def test_an_entry_says_in_which_ledger_it_changed() -> None:
    state = State(Nothing(), 9)
    state.put(KEY, account(1))
    found = state.get(KEY)
    assert found is not None
    assert (found.modified, found.whole().last_modified_ledger_seq.uint32) == (9, 9)


@pytest.mark.parametrize(("ledger", "there"), [(9, True), (10, True), (11, False)])
def test_an_entry_is_there_up_to_its_last_ledger(ledger: int, there: bool) -> None:
    below = State(Nothing(), 9)
    below.put(KEY, account(1), live_until=10)
    assert (State(below, ledger).get(KEY) is not None) is there


def test_changes_are_told_in_order_and_only_when_something_changed() -> None:
    base = State(Nothing(), 9)
    base.put(KEY, account(1))
    layer = base.layer()
    layer.put(KEY, account(1))
    assert list(layer.changes()) == []
    line = entries.trustline_key(OWNER, Asset("USDC", ISSUER))
    layer.put(line, entries.new_trustline(OWNER, Asset("USDC", ISSUER), 5, authorised=True))
    layer.delete(KEY)
    told = list(layer.changes())
    assert [(each.key, each.before is None, each.after is None) for each in told] == [
        (KEY, False, True),
        (line, True, False),
    ]
    assert [each.type.name for each in changes_xdr(layer).ledger_entry_changes] == [
        "LEDGER_ENTRY_STATE",
        "LEDGER_ENTRY_REMOVED",
        "LEDGER_ENTRY_CREATED",
    ]


def test_a_change_of_nothing_is_no_change() -> None:
    state = State(Nothing(), 9)
    state.delete(KEY)
    assert list(state.changes()) == []
    assert Change(KEY, None, None) == Change(KEY, None, None)


def test_a_footprint_is_all_that_a_call_may_touch() -> None:
    base = State(Nothing(), 9)
    base.put(KEY, account(1))
    other = entries.account_key(ISSUER)
    reading = xdr.LedgerFootprint([xdr.LedgerKey.from_xdr_bytes(KEY)], [])
    layer = Footprinted(base, 9, reading)
    assert balance(layer) == 1
    with pytest.raises(HostError, match="write a ledger entry outside"):
        layer.put(KEY, account(2))
    with pytest.raises(HostError, match="access a ledger entry outside"):
        layer.get(other)
    writing = Footprinted(base, 9, xdr.LedgerFootprint([], [xdr.LedgerKey.from_xdr_bytes(KEY)]))
    writing.put(KEY, account(2))
    assert (balance(writing), balance(base)) == (2, 1)


def test_keys_are_those_of_the_sdk() -> None:
    assert xdr.LedgerKey.from_xdr_bytes(KEY).account == xdr.LedgerKeyAccount(entries.account_id(OWNER))
    nonce = xdr.LedgerKey.from_xdr_bytes(entries.nonce_key(OWNER, -(2**63))).contract_data
    assert nonce is not None
    assert nonce.key.nonce_key == xdr.SCNonceKey(xdr.Int64(-(2**63)))
    assert nonce.durability is xdr.ContractDataDurability.TEMPORARY
    assert nonce.contract == scval.to_address(OWNER).address
    setting = xdr.LedgerKey.from_xdr_bytes(entries.setting_key(xdr.ConfigSettingID.CONFIG_SETTING_STATE_ARCHIVAL))
    assert setting.config_setting is not None


def test_two_assets_of_one_code_have_lines_of_their_own() -> None:
    first, second = (entries.trustline_key(OWNER, Asset("USDC", issuer)) for issuer in (ISSUER, OWNER))
    assert first != second
    long = xdr.LedgerKey.from_xdr_bytes(entries.trustline_key(OWNER, Asset("LONGCODE", ISSUER))).trust_line
    assert long is not None
    assert long.asset.alpha_num12 is not None


def test_entries_are_values() -> None:
    data = account(1).to_xdr_bytes()
    assert Entry(data, 3) == Entry(data, 3, None)
    assert Entry(data, 3) != Entry(data, 4)
    assert Entry(data, 3).read() == account(1)
