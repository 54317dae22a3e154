"""Ledgers: a chain of real headers, meta of version 4, entries with their history, and what retention forgets."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest
from stellar_sdk import Asset, Keypair, xdr

from payments.sandbox import entries
from payments.sandbox.network import TOTAL_COINS, network
from payments.sandbox.records import LedgerRow
from payments.sandbox.store import FileRefused, Store
from tests.payments.sandbox.bench import Bench, Refused, meta


def headers(bench: Bench) -> list[tuple[LedgerRow, xdr.LedgerHeaderHistoryEntry]]:
    rows = bench.node.store.ledgers(1, bench.sequence, 1000)
    return [(row, xdr.LedgerHeaderHistoryEntry.from_xdr_bytes(row.header)) for row in rows]


def pay(bench: Bench, payer: Keypair) -> None:
    bench.done(payer, lambda builder: builder.append_payment_op(bench.keys.issuer, Asset.native(), "1"))


def test_each_header_names_the_one_before_by_its_hash(bench: Bench) -> None:
    payer = bench.account("1")
    pay(bench, payer)
    bench.node.close()
    found = headers(bench)
    assert [row.sequence for row, _ in found] == list(range(1, bench.sequence + 1))
    before = bytes(32)
    for row, entry in found:
        assert entry.header.previous_ledger_hash.hash == before
        assert sha256(entry.header.to_xdr_bytes()).digest() == entry.hash.hash == row.hash
        before = row.hash


def test_a_header_commits_to_its_transactions_and_results(bench: Bench) -> None:
    pay(bench, bench.account("1"))
    row, entry = headers(bench)[-1]
    v2 = xdr.LedgerCloseMeta.from_xdr_bytes(row.meta).v2
    assert v2 is not None
    assert sha256(v2.tx_set.to_xdr_bytes()).digest() == entry.header.scp_value.tx_set_hash.hash
    results = xdr.TransactionResultSet([each.result for each in v2.tx_processing])
    assert sha256(results.to_xdr_bytes()).digest() == entry.header.tx_set_result_hash.hash
    assert v2.ledger_header == entry


def test_fees_are_in_the_pool_and_no_coin_is_lost(bench: Bench) -> None:
    payer = bench.account("1")
    pay(bench, payer)
    _, entry = headers(bench)[-1]
    held = sum(
        account.balance.int64
        for _, stored in bench.node.store.every_entry()
        if (account := stored.read().account) is not None
    )
    assert held + entry.header.fee_pool.int64 == entry.header.total_coins.int64 == TOTAL_COINS
    assert entry.header.fee_pool.int64 == 400


def test_calls_and_classic_transactions_are_in_phases_of_their_own(bench: Bench) -> None:
    payer, payee, sender, other = bench.account(), bench.account("0"), bench.account(None), bench.account(None)
    entry = bench.signed_transfer(payer, payee.public_key, 5)
    call = bench.transfer(sender, entry, payer, payee.public_key, 5)
    classic = bench.build(other, lambda builder: builder.append_payment_op(other.public_key, Asset.native(), "1"))
    assert {bench.send(each).status for each in (call, classic)} == {"PENDING"}
    bench.node.close()
    v2 = xdr.LedgerCloseMeta.from_xdr_bytes(bench.node.latest.meta).v2
    assert v2 is not None
    assert v2.tx_set.v1_tx_set is not None
    first, second = v2.tx_set.v1_tx_set.phases
    assert first.v0_components is not None
    assert first.v0_components[0].txs_maybe_discounted_fee is not None
    assert first.v0_components[0].txs_maybe_discounted_fee.txs == [classic.to_xdr_object()]
    assert second.parallel_txs_component is not None
    stage = second.parallel_txs_component.execution_stages[0].parallel_tx_execution_stage
    assert stage[0].dependent_tx_cluster == [call.to_xdr_object()]


def test_meta_tells_the_states_before_and_after(bench: Bench) -> None:
    payer, payee = bench.account("5"), bench.account("0")
    row = bench.done(payer, lambda builder: builder.append_payment_op(payee.public_key, bench.asset, "2"))
    changes = meta(row).operations[0].changes.ledger_entry_changes
    balances = []
    for change in changes:
        entry = change.state or change.updated
        assert entry is not None
        assert entry.data.trust_line is not None
        balances.append((change.type.name, entry.data.trust_line.balance.int64))
    assert balances == [
        ("LEDGER_ENTRY_STATE", 0),
        ("LEDGER_ENTRY_UPDATED", 20_000_000),
        ("LEDGER_ENTRY_STATE", 50_000_000),
        ("LEDGER_ENTRY_UPDATED", 30_000_000),
    ]


def test_meta_of_a_transfer_tells_nonce_value_and_diagnostics(bench: Bench) -> None:
    payer, payee, sender = bench.account(), bench.account("0"), bench.account(None)
    entry = bench.signed_transfer(payer, payee.public_key, 5)
    told = meta(bench.apply(bench.transfer(sender, entry, payer, payee.public_key, 5)))
    created = [each.created for each in told.operations[0].changes.ledger_entry_changes if each.created]
    assert [each.data.contract_data and each.data.contract_data.durability.name for each in created] == ["TEMPORARY"]
    assert told.soroban_meta is not None
    assert told.soroban_meta.return_value is not None
    assert told.soroban_meta.return_value.type is xdr.SCValType.SCV_VOID
    assert [each.event.type.name for each in told.diagnostic_events] == ["DIAGNOSTIC", "CONTRACT", "DIAGNOSTIC"]


def test_close_times_never_go_back(bench: Bench) -> None:
    bench.clock.seconds -= 100
    bench.node.close()
    assert bench.node.latest.close_time == 1_700_000_000
    bench.clock.seconds += 107
    bench.node.close()
    assert bench.node.latest.close_time == 1_700_000_007


def test_a_node_that_is_behind_shows_what_was(bench: Bench) -> None:
    payer = bench.account("1")
    at = bench.sequence
    key = xdr.LedgerKey.from_xdr_bytes(entries.trustline_key(payer.public_key, bench.asset)).to_xdr()
    shown = bench.ask("getLedgerEntries", keys=[key])["entries"]
    bench.done(payer, lambda builder: builder.append_payment_op(bench.keys.issuer, bench.asset, "1"))
    bench.node.close()
    late = bench.ask("getLedgerEntries", behind=2, keys=[key])
    assert (late["latestLedger"], late["entries"]) == (at, shown)
    assert bench.ask("getLatestLedger", behind=2)["sequence"] == at


def test_a_transaction_is_not_found_on_a_node_that_is_behind(bench: Bench) -> None:
    payer = bench.account(None)
    row = bench.done(payer, lambda builder: builder.append_payment_op(payer.public_key, Asset.native(), "1"))
    assert bench.ask("getTransaction", hash=row.hash.hex())["status"] == "SUCCESS"
    assert bench.ask("getTransaction", behind=1, hash=row.hash.hex())["status"] == "NOT_FOUND"


def test_retention_forgets_ledgers_transactions_and_events(tmp_path: Path) -> None:
    bench = Bench(tmp_path, retention=5)
    payer = bench.account(None)
    row = bench.done(payer, lambda builder: builder.append_payment_op(payer.public_key, Asset.native(), "1"))
    for _ in range(5):
        bench.node.close()
    health = bench.ask("getHealth")
    assert (health["oldestLedger"], health["ledgerRetentionWindow"]) == (bench.sequence - 4, 5)
    assert bench.ask("getTransaction", hash=row.hash.hex())["status"] == "NOT_FOUND"
    with pytest.raises(Refused, match="startLedger must be within the ledger range"):
        bench.ask("getEvents", startLedger=row.ledger)
    assert bench.stroops(payer) == 99_999_999_900
    bench.node.store.close()


def test_entries_whose_life_is_over_are_shown_no_more(tmp_path: Path) -> None:
    bench = Bench(tmp_path, minimum_temporary_ttl=3)
    payer, payee, sender = bench.account(), bench.account("0"), bench.account(None)
    entry = bench.signed_transfer(payer, payee.public_key, 5, ledgers=2)
    bench.apply(bench.transfer(sender, entry, payer, payee.public_key, 5))
    assert entry.credentials.address is not None
    key = xdr.LedgerKey.from_xdr_bytes(
        entries.nonce_key(payer.public_key, entry.credentials.address.nonce.int64)
    ).to_xdr()
    (shown,) = bench.ask("getLedgerEntries", keys=[key])["entries"]
    assert (shown["lastModifiedLedgerSeq"], shown["liveUntilLedgerSeq"]) == (bench.sequence, bench.sequence + 2)
    for expected in (1, 1, 0):
        bench.node.close()
        assert len(bench.ask("getLedgerEntries", keys=[key])["entries"]) == expected
    bench.node.store.close()


def test_state_survives_a_restart(bench: Bench) -> None:
    payer = bench.account("1")
    before, latest = dict(bench.node.store.every_entry()), bench.node.latest
    bench.reopen()
    assert bench.node.latest == latest
    assert dict(bench.node.store.every_entry()) == before
    pay(bench, payer)
    assert bench.sequence == latest.sequence + 1


def test_a_file_keeps_what_it_was_made_for(bench: Bench) -> None:
    file = bench.folder / "ledger.sqlite3"
    bench.node.store.close()
    with pytest.raises(FileRefused, match="made with the network stellar:local, not stellar:testnet"):
        Store(file, network("stellar:testnet"))
    with pytest.raises(FileRefused, match="made with the life of temporary entries 17280, not 16"):
        Store(file, network("stellar:local", minimum_temporary_ttl=16))
    bench.node = bench.open()
    assert bench.ask("getHealth")["status"] == "healthy"


def test_a_file_has_one_ledger_at_a_time(bench: Bench) -> None:
    with pytest.raises(FileRefused, match="is another ledger running on it"):
        Store(bench.folder / "ledger.sqlite3", bench.network)
    bench.account("1")


def test_a_file_that_is_no_ledger_stays_as_it_is(bench: Bench) -> None:
    file = bench.folder / "notes.txt"
    file.write_text("not a database" * 200)
    with pytest.raises(FileRefused, match="cannot be used: file is not a database"):
        Store(file, bench.network)
    assert file.read_text() == "not a database" * 200


def test_a_ledger_that_cannot_be_stored_changes_nothing(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    payer = bench.account("1")
    latest, before = bench.node.latest, dict(bench.node.store.every_entry())
    bench.send(bench.build(payer, lambda builder: builder.append_payment_op(payer.public_key, Asset.native(), "1")))

    def full(closed: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(bench.node.store, "_write_entries", full)
    with pytest.raises(OSError, match="no space left"):
        bench.node.close()
    monkeypatch.undo()
    assert (bench.node.latest, bench.node.store.latest()) == (latest, latest)
    assert dict(bench.node.store.every_entry()) == before
    assert bench.node.close().sequence == latest.sequence + 1
    assert bench.stroops(payer) == 10_000 * 10_000_000 - 200


def test_a_reset_begins_again_with_the_same_keys(bench: Bench) -> None:
    payer, contract = bench.account("1"), bench.contract
    bench.node.reset()
    assert bench.sequence == 1
    assert bench.contract == contract
    assert bench.node.store.get(entries.account_key(payer.public_key)) is None
    bench.account("1")
