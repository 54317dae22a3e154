"""Bytes that nobody meant: the ledger answers each with an error of its own kind, and its state stays as it was."""

from __future__ import annotations

import base64
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from payments.sandbox.node import Node
from payments.sandbox.rpc import methods
from payments.sandbox.transactions import Unreadable
from tests.payments.sandbox.bench import Bench
from tests.payments.sandbox.test_golden import V1_ENVELOPE

QUIET = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
NAMES = st.sampled_from(
    ["startLedger", "endLedger", "pagination", "filters", "keys", "hash", "transaction", "authMode", "xdrFormat"]
)


@pytest.fixture(scope="module")
def node() -> Iterator[Node]:
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), "stellar:testnet")
        yield bench.node
        bench.node.store.close()


@QUIET
@given(raw=st.binary(max_size=400))
def test_any_bytes_are_a_transaction_or_are_refused(node: Node, raw: bytes) -> None:
    read = None
    with suppress(Unreadable):
        read = node.read(base64.b64encode(raw).decode())
    assert read is None or read.envelope.to_xdr_bytes() == raw


@QUIET
@given(position=st.integers(0, 695), value=st.integers(0, 255))
def test_an_envelope_with_one_other_byte_is_answered(node: Node, position: int, value: int) -> None:
    raw = bytearray(base64.b64decode(V1_ENVELOPE))
    raw[position] = value
    latest = node.latest
    for method in ("simulateTransaction", "sendTransaction"):
        call = {"jsonrpc": "2.0", "id": 7, "method": method, "params": {"transaction": base64.b64encode(raw).decode()}}
        answer = methods.answer(node.view(), call)
        refused = "error" in answer or "error" in answer["result"] or answer["result"].get("status") == "ERROR"
        assert refused
    assert node.latest == latest
    assert node.waiting == {}


@QUIET
@given(method=st.sampled_from(sorted(methods.METHODS)), parameters=st.dictionaries(NAMES, JSON, max_size=5))
def test_any_parameters_are_answered(node: Node, method: str, parameters: dict[str, object]) -> None:
    answer = methods.answer(node.view(), {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters})
    assert answer["id"] == 1
    assert ("result" in answer) != ("error" in answer)
    if "error" in answer:
        assert answer["error"]["code"] in (-32600, -32602)


@QUIET
@given(call=JSON)
def test_any_request_is_answered(node: Node, call: object) -> None:
    answer = methods.answer(node.view(), call)
    assert answer["error"]["code"] in (-32600, -32601)
