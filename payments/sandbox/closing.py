"""Closing a ledger: the transactions that were waiting are applied, and the header binds them to the one before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from stellar_sdk import xdr

from payments.sandbox import applying
from payments.sandbox.applying import Applied
from payments.sandbox.entries import NONE
from payments.sandbox.network import BASE_FEE, BASE_RESERVE, MAX_TRANSACTIONS, PROTOCOL, TOTAL_COINS, Network
from payments.sandbox.state import Change, Entries, State
from payments.sandbox.transactions import Submitted


@dataclass(frozen=True)
class Previous:
    """What of the last ledger goes into the next one."""

    sequence: int
    hash: bytes
    close_time: int
    fee_pool: int
    state_hash: bytes


@dataclass(frozen=True)
class Closed:
    header: xdr.LedgerHeaderHistoryEntry
    meta: xdr.LedgerCloseMeta
    applied: list[Applied]
    changes: list[Change]

    @property
    def previous(self) -> Previous:
        """This ledger as the next one sees it."""
        header = self.header.header
        return Previous(
            header.ledger_seq.uint32,
            self.header.hash.hash,
            header.scp_value.close_time.time_point.uint64,
            header.fee_pool.int64,
            header.bucket_list_hash.hash,
        )


def close(
    below: Entries,
    previous: Previous,
    waiting: Sequence[Submitted],
    network: Network,
    close_time: int,
    *,
    fail_transfers: bool = False,
    made: State | None = None,
) -> Closed:
    """The next ledger. `made` holds entries that are there without a transaction: the genesis, and scripted steps."""
    sequence = previous.sequence + 1
    state = State(below, sequence)
    if made is not None:
        state.changed.update(made.changed)
    applied = [applying.charge(state, submitted) for submitted in waiting]
    for each in applied:
        applying.apply(state, each, network, close_time, fail_transfers=fail_transfers)
    for each in applied:
        applying.give_back(state, each)
    changes = list(state.changes())
    set_of = _transaction_set(previous.hash, waiting)
    pairs = [xdr.TransactionResultPair(xdr.Hash(each.submitted.hash), each.result) for each in applied]
    header = _header(previous, close_time, set_of, pairs, changes, sum(each.charged - each.refund for each in applied))
    history = xdr.LedgerHeaderHistoryEntry(
        xdr.Hash(sha256(header.to_xdr_bytes()).digest()), header, xdr.LedgerHeaderHistoryEntryExt(0)
    )
    processed = [_processed(each, pair, network) for each, pair in zip(applied, pairs, strict=True)]
    return Closed(history, _meta(history, set_of, processed), applied, changes)


def _header(
    previous: Previous,
    close_time: int,
    set_of: xdr.GeneralizedTransactionSet,
    pairs: list[xdr.TransactionResultPair],
    changes: list[Change],
    fees: int,
) -> xdr.LedgerHeader:
    value = xdr.StellarValue(
        tx_set_hash=xdr.Hash(sha256(set_of.to_xdr_bytes()).digest()),
        close_time=xdr.TimePoint(xdr.Uint64(close_time)),
        upgrades=[],
        ext=xdr.StellarValueExt(xdr.StellarValueType.STELLAR_VALUE_BASIC),
    )
    return xdr.LedgerHeader(
        ledger_version=xdr.Uint32(PROTOCOL),
        previous_ledger_hash=xdr.Hash(previous.hash),
        scp_value=value,
        tx_set_result_hash=xdr.Hash(sha256(xdr.TransactionResultSet(pairs).to_xdr_bytes()).digest()),
        bucket_list_hash=xdr.Hash(state_hash(previous.state_hash, changes)),
        ledger_seq=xdr.Uint32(previous.sequence + 1),
        total_coins=xdr.Int64(TOTAL_COINS),
        fee_pool=xdr.Int64(previous.fee_pool + fees),
        inflation_seq=xdr.Uint32(0),
        id_pool=xdr.Uint64(0),
        base_fee=xdr.Uint32(BASE_FEE),
        base_reserve=xdr.Uint32(BASE_RESERVE),
        max_tx_set_size=xdr.Uint32(MAX_TRANSACTIONS),
        skip_list=[xdr.Hash(bytes(32))] * 4,
        ext=xdr.LedgerHeaderExt(0),
    )


def state_hash(before: bytes, changes: list[Change]) -> bytes:
    """A hash of the whole state as a chain over its changes; core has a list of buckets there."""
    found = sha256(before)
    for change in sorted(changes, key=lambda each: each.key):
        found.update(change.key)
        found.update(b"" if change.after is None else change.after.data)
    return found.digest()


def _transaction_set(previous_hash: bytes, waiting: Sequence[Submitted]) -> xdr.GeneralizedTransactionSet:
    """Phase 0 has the classic transactions, phase 1 those that call contracts."""
    classic = [each.envelope for each in waiting if not each.is_soroban]
    contracts = [each.envelope for each in waiting if each.is_soroban]
    component = xdr.TxSetComponent(
        xdr.TxSetComponentType.TXSET_COMP_TXS_MAYBE_DISCOUNTED_FEE,
        xdr.TxSetComponentTxsMaybeDiscountedFee(xdr.Int64(BASE_FEE), classic),
    )
    stage = xdr.ParallelTxExecutionStage([xdr.DependentTxCluster(contracts)])
    parallel = xdr.ParallelTxsComponent(xdr.Int64(BASE_FEE), [stage] if contracts else [])
    phases = [
        xdr.TransactionPhase(0, v0_components=[component] if classic else []),
        xdr.TransactionPhase(1, parallel_txs_component=parallel),
    ]
    return xdr.GeneralizedTransactionSet(1, xdr.TransactionSetV1(xdr.Hash(previous_hash), phases))


def _processed(applied: Applied, pair: xdr.TransactionResultPair, network: Network) -> xdr.TransactionResultMetaV1:
    return xdr.TransactionResultMetaV1(
        ext=NONE,
        result=pair,
        fee_processing=applied.fee_changes,
        tx_apply_processing=applying.meta(applied, network.passphrase),
        post_tx_apply_fee_processing=applied.refund_changes,
    )


def _meta(
    header: xdr.LedgerHeaderHistoryEntry,
    set_of: xdr.GeneralizedTransactionSet,
    processed: list[xdr.TransactionResultMetaV1],
) -> xdr.LedgerCloseMeta:
    v2 = xdr.LedgerCloseMetaV2(
        ext=xdr.LedgerCloseMetaExt(0),
        ledger_header=header,
        tx_set=set_of,
        tx_processing=processed,
        upgrades_processing=[],
        scp_info=[],
        total_byte_size_of_live_soroban_state=xdr.Uint64(0),
        evicted_keys=[],
    )
    return xdr.LedgerCloseMeta(2, v2=v2)
