"""Answers of Stellar RPC in the shapes that its public documentation shows, and what is not taken for one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from lensproject.core.stellar import answers
from lensproject.core.stellar.faults import NodeGarbage
from lensproject.core.stellar.rpc import Node
from tests.core.stellar.scripted import scripted

FOUND = {
    "status": "SUCCESS",
    "latestLedger": 2540076,
    "latestLedgerCloseTime": "1700086333",
    "oldestLedger": 2538637,
    "oldestLedgerCloseTime": "1700078796",
    "applicationOrder": 1,
    "feeBump": False,
    "envelopeXdr": "AAAA",
    "resultXdr": "BBBB",
    "resultMetaXdr": "CCCC",
    "ledger": 2540064,
    "createdAt": "1700086268",
}
SIMULATED = {
    "transactionData": "AAAA",
    "minResourceFee": "58181",
    "events": ["BBBB"],
    "results": [{"auth": ["CCCC"], "xdr": "AAAAAQ=="}],
    "cost": {"cpuInsns": "1635562", "memBytes": "1295756"},
    "latestLedger": 2552139,
}

CASES: list[Any] = [
    pytest.param(
        "getLatestLedger",
        lambda node: node.latest_ledger(),
        {"id": "c7", "protocolVersion": 23, "sequence": 2539605},
        answers.Ledger(2539605, 23),
        None,
        id="getLatestLedger",
    ),
    pytest.param(
        "getLedgerEntries",
        lambda node: node.entries(["K1", "K2"]),
        {
            "entries": [
                {"key": "K2", "xdr": "AAAB", "lastModifiedLedgerSeq": 13, "liveUntilLedgerSeq": 3000000},
                {"key": "K1", "xdr": "AAAA", "lastModifiedLedgerSeq": 12},
            ],
            "latestLedger": 2552504,
        },
        answers.Entries(2552504, {"K1": answers.Entry("AAAA", 12, None), "K2": answers.Entry("AAAB", 13, 3000000)}),
        {"keys": ["K1", "K2"]},
        id="getLedgerEntries",
    ),
    pytest.param(
        "getLedgerEntries",
        lambda node: node.entries([]),
        {"entries": None, "latestLedger": 5},
        answers.Entries(5, {}),
        {"keys": []},
        id="getLedgerEntries none",
    ),
    pytest.param(
        "simulateTransaction",
        lambda node: node.simulate("TX"),
        SIMULATED,
        answers.Simulation(2552139, None, ("BBBB",), 58181, "AAAA", ("CCCC",), False),
        {"transaction": "TX"},
        id="simulateTransaction",
    ),
    pytest.param(
        "simulateTransaction",
        lambda node: node.simulate("TX"),
        SIMULATED | {"restorePreamble": {"minResourceFee": "1", "transactionData": "A"}},
        answers.Simulation(2552139, None, ("BBBB",), 58181, "AAAA", ("CCCC",), True),
        {"transaction": "TX"},
        id="simulateTransaction restore",
    ),
    pytest.param(
        "simulateTransaction",
        lambda node: node.simulate("TX"),
        {"error": "HostError: Error(Contract, #10)", "events": ["DDDD"], "latestLedger": 7},
        answers.Simulation(7, "HostError: Error(Contract, #10)", ("DDDD",), 0, "", (), False),
        {"transaction": "TX"},
        id="simulateTransaction error",
    ),
    pytest.param(
        "sendTransaction",
        lambda node: node.send("TX"),
        {"status": "PENDING", "hash": "d8", "latestLedger": 2553978, "latestLedgerCloseTime": "1700159337"},
        answers.Sent("PENDING", "d8", 2553978, None),
        {"transaction": "TX"},
        id="sendTransaction",
    ),
    pytest.param(
        "sendTransaction",
        lambda node: node.send("TX"),
        {"status": "ERROR", "errorResultXdr": "EEEE", "hash": "d8", "latestLedger": 1, "latestLedgerCloseTime": "1"},
        answers.Sent("ERROR", "d8", 1, "EEEE"),
        {"transaction": "TX"},
        id="sendTransaction error",
    ),
    pytest.param(
        "getTransaction",
        lambda node: node.transaction("d8"),
        FOUND,
        answers.Found("SUCCESS", 2540076, 2538637, 2540064, "BBBB", "AAAA", False),
        {"hash": "d8"},
        id="getTransaction",
    ),
    pytest.param(
        "getTransaction",
        lambda node: node.transaction("d8"),
        {"status": "NOT_FOUND", "latestLedger": 9, "oldestLedger": 2, "latestLedgerCloseTime": "1"},
        answers.Found("NOT_FOUND", 9, 2, None, None, None, False),
        {"hash": "d8"},
        id="getTransaction not found",
    ),
    pytest.param(
        "getFeeStats",
        lambda node: node.fees(),
        {
            "sorobanInclusionFee": {
                "max": "210",
                "min": "100",
                "mode": "100",
                "p50": "100",
                "p99": "200",
                "ledgerCount": 50,
            },
            "inclusionFee": {"max": "100"},
            "latestLedger": 4519945,
        },
        answers.Fees(4519945, {"max": 210, "min": 100, "mode": 100, "p50": 100, "p99": 200}),
        None,
        id="getFeeStats",
    ),
    pytest.param(
        "getNetwork",
        lambda node: node.network(),
        {
            "friendbotUrl": "https://x.example/",
            "passphrase": "Test SDF Network ; September 2015",
            "protocolVersion": 23,
        },
        answers.NetworkInfo("Test SDF Network ; September 2015", 23),
        None,
        id="getNetwork",
    ),
    pytest.param(
        "getHealth",
        lambda node: node.health(),
        {"status": "healthy", "latestLedger": 51583040, "oldestLedger": 51565760, "ledgerRetentionWindow": 17281},
        answers.Health("healthy", 51583040, 51565760),
        None,
        id="getHealth",
    ),
]


@pytest.mark.parametrize(("method", "ask", "answer", "read", "params"), CASES)
def test_answers_are_read(
    method: str, ask: Callable[[Node], Awaitable[Any]], answer: dict[str, Any], read: Any, params: Any
) -> None:
    async def run() -> tuple[Any, Any]:
        async with scripted({method: answer}) as there, Node(there.url) as node:
            return await ask(node), there.asked

    assert asyncio.run(run()) == (read, [(method, params or {})])


@pytest.mark.parametrize(
    ("read", "answer", "names"),
    [
        (answers.read_entries, {"latestLedger": 1, "entries": {}}, "entries"),
        (answers.read_entries, {"latestLedger": 1, "entries": ["x"]}, "entries"),
        (answers.read_entries, {"latestLedger": 1, "entries": [{"key": "K", "xdr": 7}]}, "xdr"),
        (answers.read_simulation, {"latestLedger": 1}, "minResourceFee"),
        (answers.read_simulation, SIMULATED | {"minResourceFee": "-1"}, "minResourceFee"),
        (answers.read_simulation, SIMULATED | {"minResourceFee": "9" * 20}, "minResourceFee"),
        (answers.read_simulation, SIMULATED | {"transactionData": None}, "transactionData"),
        (answers.read_simulation, SIMULATED | {"events": [1]}, "events"),
        (answers.read_simulation, SIMULATED | {"events": "BBBB"}, "events"),
        (answers.read_simulation, SIMULATED | {"results": [{"auth": 3}]}, "auth"),
        (answers.read_sent, {"status": "PENDING", "latestLedger": 1}, "hash"),
        (answers.read_found, FOUND | {"resultXdr": None}, "resultXdr"),
        (answers.read_found, FOUND | {"status": None}, "status"),
        (answers.read_fees, {"latestLedger": 1}, "sorobanInclusionFee"),
        (answers.read_fees, {"latestLedger": 1, "sorobanInclusionFee": {"p99": "many"}}, "p99"),
        (answers.read_network, {"protocolVersion": 1}, "passphrase"),
        (answers.read_health, {"status": "healthy", "latestLedger": 1}, "oldestLedger"),
    ],
)
def test_answers_of_another_shape_are_refused_by_field(
    read: Callable[[Any], Any], answer: dict[str, Any], names: str
) -> None:
    with pytest.raises(NodeGarbage, match=names):
        read(answer)


def test_what_a_node_writes_about_an_error_is_bounded() -> None:
    read = answers.read_simulation({"error": "x" * 100_000, "latestLedger": 1})
    assert read.error == "x" * 2000
