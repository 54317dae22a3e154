"""What a call costs: every part of the formula, and that simulation asks for enough and not for much more."""

from __future__ import annotations

import pytest
from stellar_sdk import Asset, Keypair, xdr

from payments.sandbox import entries, network_settings, resources
from payments.sandbox.network import network
from payments.sandbox.resources import Cost
from tests.payments.sandbox.bench import NULL, Bench, result, transfer_arguments

OWNER, ISSUER = (Keypair.from_raw_ed25519_seed(bytes([number]) * 32).public_key for number in (7, 8))
ACCOUNT = entries.account_key(OWNER)
LINE = entries.trustline_key(OWNER, Asset("USDC", ISSUER))
NONCE = entries.nonce_key(OWNER, 1)


def test_resources_name_what_was_touched_and_count_its_bytes() -> None:
    found = resources.needed([ACCOUNT], [LINE, NONCE], {ACCOUNT: 100, LINE: 200, NONCE: 50})
    assert [key.to_xdr_bytes() for key in found.footprint.read_only] == [ACCOUNT]
    assert [key.to_xdr_bytes() for key in found.footprint.read_write] == [LINE, NONCE]
    assert (found.disk_read_bytes.uint32, found.write_bytes.uint32) == (300, 250)
    assert found.instructions.uint32 == 400_000 + 3 * 150_000


def test_the_fixed_fee_adds_up() -> None:
    found = resources.needed([ACCOUNT], [LINE, NONCE], {ACCOUNT: 1024, LINE: 1024, NONCE: 1024})
    parts = 2125 + 2 * 1563 + 2 * 2500 + 2 * 447 + 2 * 875 + (4059 + 406)
    assert resources.fixed_fee(found, 1024) == parts


def test_parts_of_a_kilobyte_are_paid_for() -> None:
    nothing = resources.needed([], [], {})
    assert resources.fixed_fee(nothing, 0) == 1000
    assert resources.fixed_fee(nothing, 1) == 1000 + 5
    assert resources.refundable_fee(1, 0) == 3
    assert resources.refundable_fee(0, 2) == 2 * resources.RENT


def test_simulation_leaves_room() -> None:
    nothing = resources.needed([], [], {})
    found = resources.simulated(nothing, 100, 100, 1)
    least = resources.refundable_fee(100, 1)
    assert found == Cost(resources.fixed_fee(nothing, 600), least + -(-least * 15 // 100))
    assert found.total == found.fixed + found.refundable


@pytest.mark.parametrize("signers", [1, 2])
def test_what_simulation_asks_for_is_enough_on_chain(bench: Bench, signers: int) -> None:
    payer, payee, sender = bench.account(), bench.account("0"), bench.account(None)
    if signers == 2:
        second = Keypair.random()
        bench.done(sender, lambda builder: builder.append_ed25519_public_key_signer(second.public_key, 1))
        bench.done(sender, lambda builder: builder.append_set_options_op(med_threshold=2))
    entry = bench.signed_transfer(payer, payee.public_key, 5)
    built = bench.transfer(sender, entry, payer, payee.public_key, 5)
    if signers == 2:
        built.sign(second)
    row = bench.apply(built)
    assert row.succeeded
    charged = result(row).fee_charged.int64
    assert built.transaction.fee * 7 // 10 < charged <= built.transaction.fee


def test_reading_costs_less_than_writing(bench: Bench) -> None:
    payer, payee = bench.account(), bench.account("0")
    read = bench.simulate(bench.call(NULL, "decimals", [], sequence=0))
    arguments = transfer_arguments(payer.public_key, payee.public_key, 5)
    write = bench.simulate(bench.call(NULL, "transfer", arguments, sequence=0))
    assert int(read["minResourceFee"]) < int(write["minResourceFee"]) < 49_900
    assert read["stateChanges"] == []
    assert read["results"][0]["auth"] == []


def test_settings_entries_are_stored_as_they_are_used(bench: Bench) -> None:
    chosen = network("stellar:local", minimum_temporary_ttl=99)
    archival = network_settings.archival(chosen).state_archival_settings
    assert archival is not None
    assert archival.min_temporary_ttl.uint32 == 99
    settings = network_settings.all_settings(bench.network)
    ids = [setting.config_setting_id for setting in settings]
    assert len(set(ids)) == len(ids) == 7
    for setting in settings:
        entry = bench.node.store.get(entries.setting_key(setting.config_setting_id))
        assert entry is not None
        assert entry.read().config_setting == setting


def test_the_prices_that_are_told_are_those_that_are_asked() -> None:
    cost = network_settings.ledger_cost().contract_ledger_cost
    assert cost is not None
    assert cost.fee_write_ledger_entry.int64 == resources.WRITE_ENTRY_FEE
    assert cost.fee_disk_read_ledger_entry.int64 == resources.READ_ENTRY_FEE
    compute = network_settings.compute().contract_compute
    assert compute is not None
    assert compute.fee_rate_per_instructions_increment == xdr.Int64(resources.INSTRUCTION_FEE)
