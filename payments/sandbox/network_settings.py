"""The settings entries of the ledger (CONFIG_SETTING), of which proofs read the state archival."""

from __future__ import annotations

from stellar_sdk import xdr

from payments.sandbox import resources
from payments.sandbox.network import MAX_ENTRY_TTL, MIN_PERSISTENT_TTL, Network

ID = xdr.ConfigSettingID


def all_settings(network: Network) -> list[xdr.ConfigSettingEntry]:
    return [
        archival(network),
        compute(),
        ledger_cost(),
        xdr.ConfigSettingEntry(ID.CONFIG_SETTING_CONTRACT_MAX_SIZE_BYTES, contract_max_size_bytes=xdr.Uint32(131_072)),
        xdr.ConfigSettingEntry(
            ID.CONFIG_SETTING_CONTRACT_HISTORICAL_DATA_V0,
            contract_historical_data=xdr.ConfigSettingContractHistoricalDataV0(xdr.Int64(resources.HISTORY_KB_FEE)),
        ),
        xdr.ConfigSettingEntry(
            ID.CONFIG_SETTING_CONTRACT_EVENTS_V0,
            contract_events=xdr.ConfigSettingContractEventsV0(xdr.Uint32(16_384), xdr.Int64(resources.EVENT_KB_FEE)),
        ),
        xdr.ConfigSettingEntry(
            ID.CONFIG_SETTING_CONTRACT_BANDWIDTH_V0,
            contract_bandwidth=xdr.ConfigSettingContractBandwidthV0(
                xdr.Uint32(1_000_000), xdr.Uint32(132_096), xdr.Int64(resources.BANDWIDTH_KB_FEE)
            ),
        ),
    ]


def archival(network: Network) -> xdr.ConfigSettingEntry:
    return xdr.ConfigSettingEntry(
        ID.CONFIG_SETTING_STATE_ARCHIVAL,
        state_archival_settings=xdr.StateArchivalSettings(
            max_entry_ttl=xdr.Uint32(MAX_ENTRY_TTL),
            min_temporary_ttl=xdr.Uint32(network.minimum_temporary_ttl),
            min_persistent_ttl=xdr.Uint32(MIN_PERSISTENT_TTL),
            persistent_rent_rate_denominator=xdr.Int64(1402),
            temp_rent_rate_denominator=xdr.Int64(2804),
            max_entries_to_archive=xdr.Uint32(1000),
            live_soroban_state_size_window_sample_size=xdr.Uint32(30),
            live_soroban_state_size_window_sample_period=xdr.Uint32(64),
            eviction_scan_size=xdr.Uint32(500_000),
            starting_eviction_scan_level=xdr.Uint32(7),
        ),
    )


def compute() -> xdr.ConfigSettingEntry:
    return xdr.ConfigSettingEntry(
        ID.CONFIG_SETTING_CONTRACT_COMPUTE_V0,
        contract_compute=xdr.ConfigSettingContractComputeV0(
            ledger_max_instructions=xdr.Int64(600_000_000),
            tx_max_instructions=xdr.Int64(100_000_000),
            fee_rate_per_instructions_increment=xdr.Int64(resources.INSTRUCTION_FEE),
            tx_memory_limit=xdr.Uint32(41_943_040),
        ),
    )


def ledger_cost() -> xdr.ConfigSettingEntry:
    return xdr.ConfigSettingEntry(
        ID.CONFIG_SETTING_CONTRACT_LEDGER_COST_V0,
        contract_ledger_cost=xdr.ConfigSettingContractLedgerCostV0(
            ledger_max_disk_read_entries=xdr.Uint32(1000),
            ledger_max_disk_read_bytes=xdr.Uint32(3_500_000),
            ledger_max_write_ledger_entries=xdr.Uint32(500),
            ledger_max_write_bytes=xdr.Uint32(286_720),
            tx_max_disk_read_entries=xdr.Uint32(100),
            tx_max_disk_read_bytes=xdr.Uint32(200_000),
            tx_max_write_ledger_entries=xdr.Uint32(50),
            tx_max_write_bytes=xdr.Uint32(132_096),
            fee_disk_read_ledger_entry=xdr.Int64(resources.READ_ENTRY_FEE),
            fee_write_ledger_entry=xdr.Int64(resources.WRITE_ENTRY_FEE),
            fee_disk_read1_kb=xdr.Int64(resources.READ_KB_FEE),
            soroban_state_target_size_bytes=xdr.Int64(3_000_000_000),
            rent_fee1_kb_soroban_state_size_low=xdr.Int64(-17_000),
            rent_fee1_kb_soroban_state_size_high=xdr.Int64(10_000),
            soroban_state_rent_fee_growth_factor=xdr.Uint32(5000),
        ),
    )
