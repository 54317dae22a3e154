"""What Stellar RPC answers, typed. Reading raises NodeGarbage that names the field; amounts may come as text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lensproject.core.stellar.faults import NodeGarbage

Json = Mapping[str, Any]


@dataclass(frozen=True)
class Ledger:
    """The latest ledger of a node."""

    sequence: int
    protocol: int


@dataclass(frozen=True)
class Entry:
    """A ledger entry: its data (LedgerEntryData) as base64 XDR, its last change, and until when it lives."""

    xdr: str
    modified: int
    live_until: int | None


@dataclass(frozen=True)
class Entries:
    """Those of the asked entries that exist, by their key as it was asked for, as of one ledger."""

    latest_ledger: int
    found: Mapping[str, Entry]


@dataclass(frozen=True)
class Simulation:
    """What a transaction would do now. `error` set means that it would fail. `resource_fee` is in stroops."""

    latest_ledger: int
    error: str | None
    events: tuple[str, ...] = field(repr=False)
    resource_fee: int
    resources: str = field(repr=False)
    authorisations: tuple[str, ...] = field(repr=False)
    needs_restore: bool


@dataclass(frozen=True)
class Sent:
    """The answer to a submission: PENDING, DUPLICATE, TRY_AGAIN_LATER or ERROR (then with a TransactionResult)."""

    status: str
    hash: str
    latest_ledger: int
    error_result: str | None


@dataclass(frozen=True)
class Found:
    """What became of a transaction: SUCCESS, FAILED or NOT_FOUND. XDR fields are base64, and absent when not found."""

    status: str
    latest_ledger: int
    oldest_ledger: int
    ledger: int | None
    result: str | None
    envelope: str | None = field(repr=False)
    fee_bump: bool


@dataclass(frozen=True)
class Fees:
    """Inclusion fees in stroops that recent Soroban transactions paid, by percentile: `p50`, `p99`, `max`, …"""

    latest_ledger: int
    soroban: Mapping[str, int]


@dataclass(frozen=True)
class NetworkInfo:
    """What network a node serves."""

    passphrase: str
    protocol: int


@dataclass(frozen=True)
class Health:
    """Whether a node is well, and which ledgers it keeps."""

    status: str
    latest_ledger: int
    oldest_ledger: int


def read_ledger(answer: Json) -> Ledger:
    return Ledger(number(answer, "sequence"), number(answer, "protocolVersion"))


def read_entries(answer: Json) -> Entries:
    found = {text(item, "key"): _entry(item) for item in items(answer, "entries")}
    return Entries(number(answer, "latestLedger"), found)


def _entry(item: Json) -> Entry:
    live_until = number(item, "liveUntilLedgerSeq") if item.get("liveUntilLedgerSeq") else None
    return Entry(text(item, "xdr"), number(item, "lastModifiedLedgerSeq"), live_until)


def read_simulation(answer: Json) -> Simulation:
    """`results`, `minResourceFee` and `transactionData` are there unless there is an error."""
    error = answer.get("error")
    latest, events = number(answer, "latestLedger"), texts(answer, "events")
    if error is not None:
        return Simulation(latest, str(error)[:2000], events, 0, "", (), False)
    results = items(answer, "results")
    return Simulation(
        latest_ledger=latest,
        error=None,
        events=events,
        resource_fee=number(answer, "minResourceFee"),
        resources=text(answer, "transactionData"),
        authorisations=texts(results[0], "auth") if results else (),
        needs_restore=bool(answer.get("restorePreamble")),
    )


def read_sent(answer: Json) -> Sent:
    error = text(answer, "errorResultXdr") if answer.get("errorResultXdr") else None
    return Sent(text(answer, "status"), text(answer, "hash"), number(answer, "latestLedger"), error)


def read_found(answer: Json) -> Found:
    status = text(answer, "status")
    final = status in ("SUCCESS", "FAILED")
    return Found(
        status=status,
        latest_ledger=number(answer, "latestLedger"),
        oldest_ledger=number(answer, "oldestLedger"),
        ledger=number(answer, "ledger") if final else None,
        result=text(answer, "resultXdr") if final else None,
        envelope=text(answer, "envelopeXdr") if final else None,
        fee_bump=final and answer.get("feeBump") is True,
    )


def read_fees(answer: Json) -> Fees:
    fees = answer.get("sorobanInclusionFee")
    if not isinstance(fees, dict):
        raise NodeGarbage("the answer's sorobanInclusionFee is no object")
    names = [name for name in fees if name in ("max", "min", "mode") or name.startswith("p")]
    return Fees(number(answer, "latestLedger"), {name: number(fees, name) for name in names})


def read_network(answer: Json) -> NetworkInfo:
    return NetworkInfo(text(answer, "passphrase"), number(answer, "protocolVersion"))


def read_health(answer: Json) -> Health:
    return Health(text(answer, "status"), number(answer, "latestLedger"), number(answer, "oldestLedger"))


def number(answer: Json, name: str) -> int:
    """A count that is not negative, written as a number or as digits."""
    value = answer.get(name)
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 19:
        return int(value)
    if type(value) is not int or value < 0:
        raise NodeGarbage(f"the answer's {name} is no count")
    return value


def text(answer: Json, name: str) -> str:
    value = answer.get(name)
    if not isinstance(value, str):
        raise NodeGarbage(f"the answer's {name} is no text")
    return value


def texts(answer: Json, name: str) -> tuple[str, ...]:
    found = answer.get(name)
    if found is None:
        return ()
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise NodeGarbage(f"the answer's {name} is no list of texts")
    return tuple(found)


def items(answer: Json, name: str) -> list[Json]:
    found = answer.get(name)
    if found is None:
        return []
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise NodeGarbage(f"the answer's {name} is no list of objects")
    return found
