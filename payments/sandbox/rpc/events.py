"""getEvents: up to 5 filters of up to 5 contracts and 5 topic patterns, over at most 10,000 ledgers a call."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from stellar_sdk import StrKey

from payments.sandbox import places
from payments.sandbox.node import View
from payments.sandbox.records import EventRow
from payments.sandbox.rpc import parameters as asked
from payments.sandbox.rpc.parameters import Json
from payments.sandbox.rpc.times import written

MOST_LEDGERS = 10_000
MOST = 5
"""Of filters, of contracts in a filter, of topic patterns in a filter."""
MOST_SEGMENTS = 5
KINDS = ("system", "contract")


@dataclass(frozen=True)
class Filter:
    kinds: tuple[str, ...]
    contracts: tuple[str, ...]
    topics: tuple[tuple[str, ...], ...]

    def takes(self, event: EventRow, topics: Sequence[str]) -> bool:
        return (
            event.kind in self.kinds
            and (not self.contracts or event.contract in self.contracts)
            and (not self.topics or any(matches(pattern, topics) for pattern in self.topics))
        )


def matches(pattern: Sequence[str], topics: Sequence[str]) -> bool:
    """`*` stands for one topic, `**` at the end for any number of them."""
    if pattern and pattern[-1] == "**":
        pattern = pattern[:-1]
        topics = topics[: len(pattern)]
    return len(pattern) == len(topics) and all(p in ("*", t) for p, t in zip(pattern, topics, strict=True))


def several(view: View, parameters: Json) -> Json:
    asked.plain(parameters)
    cursor, limit = asked.page(parameters, default=100, most=10_000)
    filters = _filters(parameters)
    after = _after(view, parameters, cursor)
    last = _last(view, parameters, after.ledger + (after == places.end_of(after.ledger)))
    found = list(islice(_taken(view, filters, after, last), limit))
    end = found[-1][0].place if len(found) == limit else max(after, places.end_of(last))
    return {
        "events": [_told(view, event, topics) for event, topics in found],
        "cursor": str(end),
        "latestLedger": view.sequence,
        "latestLedgerCloseTime": str(view.close_time),
        "oldestLedger": view.oldest.sequence,
        "oldestLedgerCloseTime": str(view.oldest.close_time),
    }


def _after(view: View, parameters: Json, cursor: str | None) -> places.Place:
    if cursor is None:
        start = asked.number(parameters, "startLedger")
        return places.end_of(asked.start_within(start, view.oldest.sequence, view.sequence) - 1)
    try:
        place = places.parse(cursor)
    except ValueError as error:
        raise asked.invalid(str(error)) from error
    if place.ledger < view.oldest.sequence - 1:
        asked.start_within(place.ledger, view.oldest.sequence, view.sequence)
    return place


def _last(view: View, parameters: Json, first: int) -> int:
    """The last ledger that is searched; `endLedger` itself is not."""
    end = asked.number(parameters, "endLedger")
    if end and end <= first:
        raise asked.invalid("startLedger must be before endLedger")
    last = min(view.sequence, first + MOST_LEDGERS - 1)
    return min(last, end - 1) if end else last


def _taken(view: View, filters: Sequence[Filter], after: places.Place, last: int) -> Any:
    for event in view.store.events(after, last):
        topics = json.loads(event.topics)
        if not filters or any(each.takes(event, topics) for each in filters):
            yield event, topics


def _filters(parameters: Json) -> list[Filter]:
    given = parameters.get("filters") or []
    if not isinstance(given, list) or not all(isinstance(each, dict) for each in given):
        raise asked.invalid("filters must be a list of objects")
    if len(given) > MOST:
        raise asked.invalid(f"maximum {MOST} filters per request")
    return [_filter(each) for each in given]


def _filter(given: Mapping[str, Any]) -> Filter:
    kind = given.get("type") or ""
    if not isinstance(kind, str) or not set(filter(None, kind.split(","))) <= set(KINDS):
        raise asked.invalid("filter type must be system or contract")
    contracts = asked.texts(given, "contractIds", MOST)
    if not all(map(StrKey.is_valid_contract, contracts)):
        raise asked.invalid("contractIds must be contract addresses (C…)")
    patterns = given.get("topics") or []
    if not isinstance(patterns, list) or len(patterns) > MOST:
        raise asked.invalid(f"topics must be a list of at most {MOST} patterns")
    kinds = tuple(filter(None, kind.split(","))) or KINDS
    return Filter(kinds, tuple(contracts), tuple(_pattern(each) for each in patterns))


def _pattern(given: object) -> tuple[str, ...]:
    if not isinstance(given, list) or not 1 <= len(given) <= MOST_SEGMENTS:
        raise asked.invalid(f"a topic pattern has 1 to {MOST_SEGMENTS} segments")
    if not all(isinstance(each, str) for each in given) or "**" in given[:-1]:
        raise asked.invalid("a topic pattern is of texts, and ** stands at its end only")
    return tuple(given)


def _told(view: View, event: EventRow, topics: list[str]) -> Json:
    (ledger,) = view.store.ledgers(event.place.ledger, event.place.ledger, 1)
    return {
        "type": event.kind,
        "ledger": event.place.ledger,
        "ledgerClosedAt": written(ledger.close_time),
        "contractId": event.contract,
        "id": str(event.place),
        "operationIndex": event.operation,
        "transactionIndex": event.position,
        "txHash": event.transaction_hash.hex(),
        "inSuccessfulContractCall": True,
        "topic": topics,
        "value": event.value,
    }
