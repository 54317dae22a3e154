"""The methods by name, and the one way in which a call of JSON-RPC 2.0 is answered."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from payments.sandbox.node import View
from payments.sandbox.rpc import about, events, ledgers, sending, simulation
from payments.sandbox.rpc.parameters import INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, Json, RpcError

METHODS: Mapping[str, Callable[[View, Json], Json]] = {
    "getHealth": about.health,
    "getNetwork": about.network,
    "getVersionInfo": about.version,
    "getFeeStats": about.fee_stats,
    "getLatestLedger": ledgers.latest,
    "getLedgers": ledgers.several,
    "getLedgerEntries": ledgers.entries,
    "simulateTransaction": simulation.simulate,
    "sendTransaction": sending.send,
    "getTransaction": sending.one,
    "getTransactions": sending.several,
    "getEvents": events.several,
}


def answer(view: View, call: object) -> Json:
    """The response object of one request object. Whatever the request is, the answer is one of JSON-RPC."""
    identity = call.get("id") if isinstance(call, dict) else None
    if not isinstance(identity, (str, int, float)) or isinstance(identity, bool):
        identity = None
    try:
        return {"jsonrpc": "2.0", "id": identity, "result": _result(view, call)}
    except RpcError as error:
        return {"jsonrpc": "2.0", "id": identity, "error": {"code": error.code, "message": str(error)}}


def _result(view: View, call: object) -> Json:
    if not isinstance(call, dict) or call.get("jsonrpc") != "2.0" or not isinstance(call.get("method"), str):
        raise RpcError(INVALID_REQUEST, "a request is an object with jsonrpc 2.0, an id and a method")
    method = METHODS.get(call["method"])
    if method is None:
        raise RpcError(METHOD_NOT_FOUND, f"method not found: {call['method'][:80]}")
    parameters = call.get("params")
    if parameters is None:
        parameters = {}
    if not isinstance(parameters, dict):
        raise RpcError(INVALID_PARAMS, "params must be an object")
    return method(view, parameters)
