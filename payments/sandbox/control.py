"""Scripted steps and faults, by name: what POST /control takes as {"do": name, …}."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from payments.sandbox import faucet
from payments.sandbox.node import Node
from payments.sandbox.pace import Pace

MOST_STEPS = 10_000
MOST_SECONDS = 3600.0


class ControlRefused(Exception):
    """No such step, or its parameters do not make sense. The message says which do."""


def _number(command: Mapping[str, Any], name: str, default: int, most: int = MOST_STEPS) -> int:
    value = command.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise ControlRefused(f"{name} must be a whole number from 0 to {most}")
    return value


def _seconds(command: Mapping[str, Any], name: str = "seconds") -> float:
    value = command.get(name)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= MOST_SECONDS:
        raise ControlRefused(f"{name} must be a number from 0 to {MOST_SECONDS:g}")
    return float(value)


def step(node: Node, pace: Pace, command: Mapping[str, Any]) -> None:
    for _ in range(_number(command, "ledgers", 1)):
        node.close()


def ledger_seconds(node: Node, pace: Pace, command: Mapping[str, Any]) -> None:
    pace.change(_seconds(command))


def lose_replies(node: Node, pace: Pace, command: Mapping[str, Any]) -> None:
    node.faults.lost_replies = _number(command, "count", 1)


def busy(node: Node, pace: Pace, command: Mapping[str, Any]) -> None:
    node.faults.busy = _number(command, "count", 1)


def slow(node: Node, pace: Pace, command: Mapping[str, Any]) -> None:
    node.faults.slow = _seconds(command)


def behind(node: Node, pace: Pace, command: Mapping[str, Any]) -> None:
    node.faults.behind = _number(command, "ledgers", 1)


def skew(node: Node, pace: Pace, command: Mapping[str, Any]) -> None:
    node.faults.skew = _number(command, "seconds", 0, most=86_400)


def fail_transfers(node: Node, pace: Pace, command: Mapping[str, Any]) -> None:
    node.faults.failing_ledgers = _number(command, "ledgers", 1)


def drop_waiting(node: Node, pace: Pace, command: Mapping[str, Any]) -> None:
    """What waits is forgotten, as a full network forgets."""
    node.waiting.clear()


def cut_history(node: Node, pace: Pace, command: Mapping[str, Any]) -> None:
    """Keep only so many of the last ledgers, transactions and events."""
    kept = max(_number(command, "keep", 1), 1)
    node.store.cut(node.latest.sequence - kept + 1)


def reset(node: Node, pace: Pace, command: Mapping[str, Any]) -> None:
    node.reset()


def clear(node: Node, pace: Pace, command: Mapping[str, Any]) -> None:
    node.faults.clear()


def authorise(node: Node, pace: Pace, command: Mapping[str, Any]) -> None:
    address, authorised = command.get("address"), command.get("authorised", True)
    if not isinstance(address, str) or not isinstance(authorised, bool):
        raise ControlRefused("authorise takes an address and authorised, true or false")
    try:
        faucet.authorise(node, address, authorised=authorised)
    except faucet.FaucetRefused as refused:
        raise ControlRefused(str(refused)) from refused


def status(node: Node, pace: Pace, command: Mapping[str, Any]) -> None:
    """Only what every answer says."""


COMMANDS: Mapping[str, Callable[[Node, Pace, Mapping[str, Any]], None]] = {
    command.__name__: command
    for command in (
        step, ledger_seconds, lose_replies, busy, slow, behind, skew, fail_transfers, cut_history, reset, clear,
        authorise, drop_waiting, status,
    )
}  # fmt: skip


def run(node: Node, pace: Pace, command: Mapping[str, Any]) -> dict[str, Any]:
    """Do it; the answer says where the ledger is and which faults are on."""
    name = command.get("do")
    found = COMMANDS.get(name) if isinstance(name, str) else None
    if found is None:
        raise ControlRefused(f"do must be one of {', '.join(COMMANDS)}")
    found(node, pace, command)
    return {
        "latestLedger": node.latest.sequence,
        "ledgerSeconds": pace.seconds,
        "waiting": len(node.waiting),
        "faults": vars(node.faults),
    }
