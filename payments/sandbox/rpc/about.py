"""getHealth, getNetwork, getVersionInfo, getFeeStats."""

from __future__ import annotations

from collections import Counter

from payments.sandbox.network import BASE_FEE, PROTOCOL
from payments.sandbox.node import View
from payments.sandbox.rpc.parameters import Json

VERSION = "sandbox 1.0.0"
"""Begins with "sandbox": whoever shows a network reads here that its money is play money."""
FEE_WINDOWS = {"sorobanInclusionFee": (True, 50), "inclusionFee": (False, 10)}
PERCENTILES = (10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99)


def health(view: View, parameters: Json) -> Json:
    oldest = view.oldest
    return {
        "status": "healthy",
        "latestLedger": view.sequence,
        "latestLedgerCloseTime": str(view.close_time),
        "oldestLedger": oldest.sequence,
        "oldestLedgerCloseTime": str(oldest.close_time),
        "ledgerRetentionWindow": view.node.network.retention,
    }


def network(view: View, parameters: Json) -> Json:
    return {
        "friendbotUrl": "/friendbot",
        "passphrase": view.node.network.passphrase,
        "protocolVersion": PROTOCOL,
    }


def version(view: View, parameters: Json) -> Json:
    return {
        "version": VERSION,
        "commitHash": "sandbox",
        "buildTimestamp": "2026-11-30T00:00:00",
        "captiveCoreVersion": "none: one process closes the ledgers of this sandbox",
        "protocolVersion": PROTOCOL,
    }


def fee_stats(view: View, parameters: Json) -> Json:
    """Inclusion fees an operation over the last ledgers, as decimal texts. An idle network says the base fee."""
    told: Json = {"latestLedger": view.sequence}
    for name, (soroban, window) in FEE_WINDOWS.items():
        first = max(view.sequence - window + 1, view.oldest.sequence)
        fees = view.store.inclusion_fees(first, view.sequence, soroban=soroban)
        told[name] = {**_distribution(fees or [BASE_FEE]), "transactionCount": str(len(fees)), "ledgerCount": window}
    return told


def _distribution(fees: list[int]) -> Json:
    """`fees` are sorted."""
    mode = Counter(fees).most_common(1)[0][0]
    ranks = {f"p{share}": fees[-(-share * len(fees) // 100) - 1] for share in PERCENTILES}
    return {name: str(fee) for name, fee in {"max": fees[-1], "min": fees[0], "mode": mode, **ranks}.items()}
