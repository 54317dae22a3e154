"""getEvents: which events a filter takes, how pages go on, and what it refuses."""

from __future__ import annotations

from typing import Any

import pytest
from stellar_sdk import Asset, Keypair, scval

from payments.sandbox import faucet
from payments.sandbox.places import Place, end_of, of_toid, parse
from payments.sandbox.rpc.events import matches
from tests.payments.sandbox.bench import Bench, Refused

TRANSFER, MINT, FEE = (scval.to_symbol(name).to_xdr() for name in ("transfer", "mint", "fee"))


def paid(bench: Bench, payer: Keypair, payee: Keypair, amount: str = "1") -> int:
    """The ledger of a payment of the asset."""
    return bench.done(payer, lambda builder: builder.append_payment_op(payee.public_key, bench.asset, amount)).ledger


def found(bench: Bench, **parameters: Any) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = bench.ask("getEvents", **parameters)["events"]
    return events


def address(keypair: Keypair) -> str:
    return scval.to_address(keypair.public_key).to_xdr()


@pytest.mark.parametrize(
    ("pattern", "taken"),
    [
        (["a", "b", "c"], True),
        (["*", "b", "*"], True),
        (["a", "b"], False),
        (["a", "**"], True),
        (["**"], True),
        (["a", "b", "c", "**"], True),
        (["a", "b", "c", "d", "**"], False),
        (["b", "**"], False),
        (["*", "*", "*", "*"], False),
    ],
)
def test_patterns(pattern: list[str], taken: bool) -> None:
    assert matches(pattern, ["a", "b", "c"]) is taken


def test_one_contracts_transfers_of_one_payer_to_one_payee(bench: Bench) -> None:
    payer, payee, other = bench.account("9"), bench.account("9"), bench.account("9")
    start = bench.sequence
    ledger = paid(bench, payer, payee)
    paid(bench, other, payee)
    paid(bench, payer, other)
    wanted = {
        "type": "contract",
        "contractIds": [bench.contract],
        "topics": [[TRANSFER, address(payer), address(payee), "**"]],
    }
    (event,) = found(bench, startLedger=start, filters=[wanted])
    assert (event["ledger"], event["contractId"], event["type"]) == (ledger, bench.contract, "contract")
    assert event["topic"][:3] == [TRANSFER, address(payer), address(payee)]
    assert scval.from_int128(event["value"]) == 10_000_000
    assert event["ledgerClosedAt"] == "2023-11-14T22:13:20Z"
    assert (event["transactionIndex"], event["operationIndex"]) == (1, 0)


def test_filters_are_alternatives_and_their_parts_are_not(bench: Bench) -> None:
    payer, payee = bench.account("9"), bench.account("0")
    start = bench.sequence + 1
    paid(bench, payer, payee)
    faucet.mint(bench.node, payee.public_key, "1")
    transfers = {"contractIds": [bench.contract], "topics": [[TRANSFER, "**"]]}
    mints = {"contractIds": [bench.contract], "topics": [[MINT, "**"]]}
    elsewhere = {"contractIds": [bench.native], "topics": [[TRANSFER, "**"]]}
    assert len(found(bench, startLedger=start, filters=[transfers])) == 1
    assert len(found(bench, startLedger=start, filters=[mints])) == 1
    assert len(found(bench, startLedger=start, filters=[transfers, mints])) == 2
    assert found(bench, startLedger=start, filters=[elsewhere]) == []
    assert len(found(bench, startLedger=start, filters=[{"topics": [[FEE, "*"]]}])) == 2
    assert len(found(bench, startLedger=start)) == 4


def test_a_failed_payment_tells_its_fee_only(bench: Bench) -> None:
    payer, payee = bench.account("1"), bench.account("0")
    start = bench.sequence + 1
    row = bench.apply(bench.build(payer, lambda b: b.append_payment_op(payee.public_key, bench.asset, "2")))
    assert not row.succeeded
    (fee,) = found(bench, startLedger=start)
    assert fee["topic"][0] == FEE


def test_pages_go_on_where_they_ended(bench: Bench) -> None:
    payer, payee = bench.account("9"), bench.account("0")
    start = bench.sequence + 1
    for _ in range(5):
        paid(bench, payer, payee, "0.5")
        bench.node.close()
    wanted = [{"contractIds": [bench.contract]}]
    page = bench.ask("getEvents", startLedger=start, filters=wanted, pagination={"limit": 2})
    seen = [each["id"] for each in page["events"]]
    assert page["cursor"] == seen[-1]
    while page["events"]:
        page = bench.ask("getEvents", filters=wanted, pagination={"limit": 2, "cursor": page["cursor"]})
        seen += [each["id"] for each in page["events"]]
    assert len(set(seen)) == len(seen) == 5
    assert seen == sorted(seen)
    assert parse(page["cursor"]) == end_of(bench.sequence)


def test_a_page_that_is_not_full_has_looked_to_the_end(bench: Bench) -> None:
    start = bench.sequence
    bench.node.close()
    page = bench.ask("getEvents", startLedger=start, filters=[{"contractIds": [bench.contract]}])
    assert parse(page["cursor"]).ledger == bench.sequence == page["latestLedger"]
    again = bench.ask("getEvents", pagination={"cursor": page["cursor"]})
    assert (again["events"], again["cursor"]) == ([], page["cursor"])
    payer = bench.account(None)
    assert payer
    later = bench.ask("getEvents", pagination={"cursor": page["cursor"]})
    assert len(later["events"]) == 2


def test_the_last_ledger_is_not_searched(bench: Bench) -> None:
    payer, payee = bench.account("9"), bench.account("0")
    first = paid(bench, payer, payee)
    second = paid(bench, payer, payee)
    wanted = [{"contractIds": [bench.contract]}]
    events = found(bench, startLedger=first, endLedger=second, filters=wanted)
    assert [each["ledger"] for each in events] == [first]
    cursor = bench.ask("getEvents", startLedger=first, endLedger=second, filters=wanted)["cursor"]
    assert parse(cursor) == end_of(first)


def test_one_call_looks_at_ten_thousand_ledgers(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("payments.sandbox.rpc.events.MOST_LEDGERS", 10)
    for _ in range(30):
        bench.node.close()
    payer = bench.account(None)
    page = bench.ask("getEvents", startLedger=1)
    assert (page["events"], parse(page["cursor"]).ledger) == ([], 10)
    events: list[dict[str, Any]] = []
    for _ in range(4):
        page = bench.ask("getEvents", pagination={"cursor": page["cursor"]})
        events += page["events"]
    assert [each["topic"][0] for each in events] == [FEE, TRANSFER]
    assert address(payer) in events[1]["topic"]


def test_fees_are_told_before_what_the_transactions_did(bench: Bench) -> None:
    people = [bench.account(None) for _ in range(2)]
    start = bench.sequence + 1
    for each in people:
        to = each.public_key
        bench.send(bench.build(each, lambda builder, to=to: builder.append_payment_op(to, Asset.native(), "1")))  # type: ignore[misc]
    bench.node.close()
    kinds = [each["topic"][0] for each in found(bench, startLedger=start)]
    assert kinds == [FEE, FEE, TRANSFER, TRANSFER]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "startLedger must be within"),
        ({"startLedger": 0}, "startLedger must be within"),
        ({"startLedger": 99}, "startLedger must be within"),
        ({"startLedger": "1"}, "startLedger must be a whole number"),
        ({"startLedger": 1, "endLedger": 1}, "startLedger must be before endLedger"),
        ({"startLedger": 1, "pagination": {"cursor": "0000000004294967296-0000000000"}}, "cannot both be set"),
        ({"pagination": {"cursor": "nonsense"}}, "is no cursor"),
        ({"startLedger": 1, "pagination": {"limit": 10_001}}, "limit must not exceed 10000"),
        ({"startLedger": 1, "filters": {}}, None),
        ({"startLedger": 1, "filters": [{}] * 6}, "maximum 5 filters"),
        ({"startLedger": 1, "filters": ["a"]}, "filters must be a list of objects"),
        ({"startLedger": 1, "filters": [{"type": "diagnostic"}]}, "filter type must be"),
        ({"startLedger": 1, "filters": [{"contractIds": ["G"]}]}, "contract addresses"),
        ({"startLedger": 1, "filters": [{"contractIds": ["C"] * 6}]}, "maximum 5 allowed"),
        ({"startLedger": 1, "filters": [{"topics": [["*"]] * 6}]}, "at most 5 patterns"),
        ({"startLedger": 1, "filters": [{"topics": [[]]}]}, "1 to 5 segments"),
        ({"startLedger": 1, "filters": [{"topics": [["*"] * 6]}]}, "1 to 5 segments"),
        ({"startLedger": 1, "filters": [{"topics": [["**", "*"]]}]}, "at its end only"),
        ({"startLedger": 1, "xdrFormat": "json"}, "xdrFormat must be base64"),
    ],
    ids=str,
)
def test_what_is_refused(bench: Bench, parameters: dict[str, Any], message: str | None) -> None:
    if message is None:
        assert found(bench, **parameters) == []
        return
    with pytest.raises(Refused, match=message):
        bench.ask("getEvents", **parameters)


def test_places_are_written_and_read() -> None:
    place = Place(7, 3, 1, 9)
    assert str(place) == "0000000030064783361-0000000009"
    assert parse(str(place)) == place
    assert of_toid(place.toid) == Place(7, 3, 1)
    assert end_of(7) > place > end_of(6)


@pytest.mark.parametrize("text", ["", "-", "1-", "-1", "a-1", "1-1-1", "9" * 50 + "-1", "²-1"])
def test_texts_that_are_no_cursor(text: str) -> None:
    with pytest.raises(ValueError, match="is no cursor"):
        parse(text)
