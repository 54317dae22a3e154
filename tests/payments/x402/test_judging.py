"""What a scripted node says, for what no real ledger says of a right payment: V39 to V44, fees, garbage."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from aiohttp import web
from stellar_sdk import Address, Asset, scval, xdr

from lensproject.core.stellar.networks import TESTNET
from lensproject.core.stellar.rpc import Bounds, Node
from lensproject.core.x402.wire import PaymentPayload, PaymentRequirements, VerifyResponse
from payments.x402 import reasons
from payments.x402.verification import Rules, verify
from tests.core.stellar.scripted import Script, Scripted, listening, scripted
from tests.payments.x402 import golden, made

RULES = Rules(networks=frozenset({TESTNET}), own=frozenset({golden.FACILITATOR}))
OTHER_CONTRACT = Asset.native().contract_id(made.PASSPHRASE)
KINDS = xdr.ContractEventType


def event(
    *topics: xdr.SCVal,
    data: xdr.SCVal | None = None,
    contract: str | None = golden.ASSET,
    kind: xdr.ContractEventType = KINDS.CONTRACT,
    success: bool = True,
) -> str:
    body = xdr.ContractEventBody(0, xdr.ContractEventV0(list(topics), data or scval.to_int128(golden.AMOUNT)))
    of = None if contract is None else Address(contract).to_xdr_sc_address().contract_id
    made_event = xdr.ContractEvent(xdr.ExtensionPoint(0), of, kind, body)
    return xdr.DiagnosticEvent(success, made_event).to_xdr()


def transfer(*, from_: str = golden.PAYER, to: str = golden.PAY_TO, name: str = "transfer", **how: Any) -> str:
    asset = scval.to_string("USDC:" + golden.PAY_TO)
    return event(scval.to_symbol(name), scval.to_address(from_), scval.to_address(to), asset, **how)


def without_asset_name() -> str:
    return event(scval.to_symbol("transfer"), scval.to_address(golden.PAYER), scval.to_address(golden.PAY_TO))


def resources(fee: int = 20_000) -> str:
    read = xdr.TransactionEnvelope.from_xdr(golden.V1)
    assert read.v1 is not None
    data = read.v1.tx.ext.soroban_data
    assert data is not None
    data.resource_fee = xdr.Int64(fee)
    return data.to_xdr()


def simulated(*events: str, **over: Any) -> dict[str, Any]:
    return {
        "latestLedger": golden.LATEST,
        "minResourceFee": "20000",
        "transactionData": resources(),
        "results": [{"auth": [], "xdr": "AAAAAQ=="}],
        "events": list(events),
    } | over


DIAGNOSTIC = transfer(kind=KINDS.DIAGNOSTIC)
CALL = event(scval.to_symbol("fn_call"), scval.to_symbol("transfer"), kind=KINDS.DIAGNOSTIC, contract=None)
NOTHING = {"latestLedger": golden.LATEST, "entries": []}


def answer(
    simulation: Script,
    *,
    entries: Script = NOTHING,
    payload: PaymentPayload | None = None,
    offer: PaymentRequirements | None = None,
    rules: Rules = RULES,
    bounds: Bounds | None = None,
) -> VerifyResponse:
    async def ask() -> VerifyResponse:
        answers = {"simulateTransaction": simulation, "getLedgerEntries": entries}
        async with scripted(answers) as there, Node(there.url, bounds) as node:
            found = await verify(payload or made.paying(), offer or made.terms(), node=node, rules=rules)
            assert (found.verified is not None) == found.response.is_valid
            return found.response

    return asyncio.run(ask())


@pytest.mark.parametrize(
    "events",
    [
        pytest.param([transfer()], id="four topics"),
        pytest.param([without_asset_name()], id="three topics"),
        pytest.param([CALL, DIAGNOSTIC, transfer(), CALL, transfer(kind=KINDS.SYSTEM)], id="V42 among others"),
        pytest.param(
            [
                event(
                    *[
                        scval.to_symbol("transfer"),
                        *(scval.to_address(a) for a in (golden.PAYER, golden.PAY_TO)),
                        scval.to_void(),
                    ]
                )
            ],
            id="another fourth topic",
        ),
    ],
)
@pytest.mark.parametrize("transaction", [pytest.param(golden.V1, id="V2"), pytest.param(golden.V2, id="V3")])
def test_one_transfer_is_what_is_asked_for(events: list[str], transaction: str) -> None:
    found = answer(simulated(*events), payload=made.paying(transaction))
    assert found.write() == {"isValid": True, "payer": golden.PAYER}


MUXED = scval.to_map(
    {scval.to_symbol("amount"): scval.to_int128(golden.AMOUNT), scval.to_symbol("to_muxed_id"): scval.to_uint64(7)}
)


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        pytest.param([], reasons.NO_TRANSFER_EVENTS, id="V39"),
        pytest.param([transfer(), transfer()], reasons.MULTIPLE_TRANSFERS, id="V40"),
        pytest.param(
            [transfer(), transfer(to=made.OTHER.public_key)], reasons.MULTIPLE_TRANSFERS, id="V40 other payee"
        ),
        pytest.param([transfer(), transfer(name="mint")], reasons.EVENT_NOT_TRANSFER, id="V41"),
        pytest.param([transfer(name="mint")], reasons.EVENT_NOT_TRANSFER, id="V41 alone"),
        pytest.param([event(scval.to_symbol("transfer"))], reasons.EVENT_NOT_TRANSFER, id="V41 without addresses"),
        pytest.param([event()], reasons.EVENT_NOT_TRANSFER, id="V41 without topics"),
        pytest.param([transfer(success=False)], reasons.EVENT_NOT_TRANSFER, id="V41 rolled back"),
        pytest.param([DIAGNOSTIC], reasons.NO_TRANSFER_EVENTS, id="V43"),
        pytest.param([transfer(contract=OTHER_CONTRACT)], reasons.EVENT_WRONG_ASSET, id="V44 asset"),
        pytest.param([transfer(from_=made.OTHER.public_key)], reasons.EVENT_WRONG_FROM, id="V44 from"),
        pytest.param([transfer(to=made.OTHER.public_key)], reasons.EVENT_WRONG_TO, id="V44 to"),
        pytest.param([transfer(data=scval.to_int128(9_999))], reasons.EVENT_WRONG_AMOUNT, id="V44 amount"),
        pytest.param([transfer(data=scval.to_uint64(10_000))], reasons.EVENT_WRONG_AMOUNT, id="V44 kind of amount"),
        pytest.param([transfer(data=MUXED)], reasons.EVENT_WRONG_AMOUNT, id="V44 muxed"),
        pytest.param([transfer(contract=None)], reasons.EVENT_MISSING_CONTRACT, id="V44 no contract"),
    ],
)
def test_events_that_are_not_the_one_transfer(events: list[str], reason: str) -> None:
    found = answer(simulated(*events))
    assert (found.is_valid, found.invalid_reason, found.payer) == (False, reason, golden.PAYER)


@pytest.mark.parametrize(
    ("over", "ceiling", "reason"),
    [
        pytest.param({}, 20_100, None, id="V36"),
        pytest.param({}, 20_099, reasons.FEE_EXCEEDS_MAXIMUM, id="V38"),
        pytest.param({"minResourceFee": "20001"}, 20_100, reasons.FEE_EXCEEDS_MAXIMUM, id="the answer's fee"),
        pytest.param({"transactionData": resources(20_001)}, 20_100, reasons.FEE_EXCEEDS_MAXIMUM, id="the data's fee"),
        pytest.param({"transactionData": resources(2**62)}, 200_000, reasons.FEE_EXCEEDS_MAXIMUM, id="no 32 bits"),
    ],
)
def test_the_larger_of_both_fees_counts(over: dict[str, Any], ceiling: int, reason: str | None) -> None:
    rules = Rules(RULES.networks, RULES.own, fee_ceiling=ceiling)
    found = answer(simulated(transfer(), **over), rules=rules)
    assert (found.is_valid, found.invalid_reason) == (reason is None, reason)


def test_what_is_archived_must_be_restored_first() -> None:
    found = answer(simulated(transfer(), restorePreamble={"minResourceFee": "1", "transactionData": resources()}))
    assert (found.invalid_reason, found.payer) == (reasons.SIMULATION_FAILED, golden.PAYER)
    assert "archived" in (found.invalid_message or "")


def error_event(number: int, contract: str | None = golden.ASSET) -> str:
    error = xdr.SCError(xdr.SCErrorType.SCE_CONTRACT, contract_code=xdr.Uint32(number))
    value = xdr.SCVal(xdr.SCValType.SCV_ERROR, error=error)
    return event(scval.to_symbol("error"), value, kind=KINDS.DIAGNOSTIC, contract=contract, success=False)


@pytest.mark.parametrize(
    ("events", "extra"),
    [
        ([error_event(10)], {"code": "INSUFFICIENT_BALANCE", "details": {"contractError": 10}}),
        ([error_event(11)], {"code": "TRUSTLINE_REQUIRED", "details": {"contractError": 11}}),
        ([CALL, error_event(13)], {"code": "TRUSTLINE_REQUIRED", "details": {"contractError": 13}}),
        ([error_event(7)], {"details": {"contractError": 7}}),
        ([error_event(10, OTHER_CONTRACT)], None),
        ([error_event(10, None)], None),
        ([], None),
    ],
)
def test_v32_the_number_comes_from_the_assets_own_error(events: list[str], extra: dict[str, Any] | None) -> None:
    """Never from the text, which says something else here."""
    found = answer({"latestLedger": golden.LATEST, "error": "HostError: Error(Contract, #13)", "events": events})
    assert (found.invalid_reason, found.payer, found.extra) == (reasons.SIMULATION_FAILED, golden.PAYER, extra)


def test_v65_a_contract_pays_as_its_own_code_says() -> None:
    of = made.call(made.arguments(from_=OTHER_CONTRACT))
    entry = made.entry(of, signer=None, address=OTHER_CONTRACT)
    assert entry.credentials.address is not None
    entry.credentials.address.signature = scval.to_bytes(b"a passkey's")
    payload = made.paying(made.transaction(made.operation(of, [entry])))
    good = answer(simulated(transfer(from_=OTHER_CONTRACT)), payload=payload)
    assert good.write() == {"isValid": True, "payer": OTHER_CONTRACT}
    noisy = answer(simulated(transfer(from_=OTHER_CONTRACT), event(scval.to_symbol("used"))), payload=payload)
    assert noisy.invalid_reason == reasons.EVENT_NOT_TRANSFER


def html(params: Any) -> web.Response:
    return web.Response(text="<html>maintenance</html>", content_type="text/html")


@pytest.mark.parametrize(
    ("simulation", "entries"),
    [
        pytest.param(html, NOTHING, id="HTML"),
        pytest.param(simulated(transfer()), html, id="HTML for entries"),
        pytest.param(simulated("AAAA"), NOTHING, id="no event"),
        pytest.param(simulated("***"), NOTHING, id="no base64"),
        pytest.param(simulated(transfer()[:-8]), NOTHING, id="an event cut short"),
        pytest.param(simulated(transfer(), transactionData="AAAA"), NOTHING, id="no resources"),
        pytest.param(simulated(transfer(), transactionData="*"), NOTHING, id="resources no base64"),
        pytest.param({"latestLedger": golden.LATEST}, NOTHING, id="no results"),
        pytest.param(simulated(transfer()), {"entries": []}, id="no ledger"),
    ],
)
def test_v64_a_node_that_answers_garbage(simulation: Script, entries: Script) -> None:
    found = answer(simulation, entries=entries)
    assert (found.is_valid, found.invalid_reason, found.payer) == (False, reasons.UNEXPECTED_VERIFY, golden.PAYER)
    assert found.invalid_message


def test_v64_a_node_that_is_too_slow() -> None:
    async def ask() -> tuple[VerifyResponse, float]:
        async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read()
            writer.close()

        server = await asyncio.start_server(silent, "127.0.0.1", 0)
        bounds = Bounds(connect=0.2, read=0.2, total=0.4)
        async with server, Node(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/", bounds) as node:
            started = time.monotonic()
            found = await verify(made.paying(), made.terms(), node=node, rules=RULES)
            return found.response, time.monotonic() - started

    found, seconds = asyncio.run(ask())
    assert (found.invalid_reason, found.payer) == (reasons.UNEXPECTED_VERIFY, golden.PAYER)
    assert seconds < 3


def test_both_questions_are_asked_at_the_same_time() -> None:
    """Each answer waits until the other question has come: one after the other would never end."""

    async def ask() -> bool:
        both = asyncio.Barrier(2)
        there = Scripted({"getLedgerEntries": NOTHING, "simulateTransaction": simulated(transfer())})

        async def together(request: web.Request) -> web.StreamResponse:
            async with asyncio.timeout(5):
                await both.wait()
            return await there.handle(request)

        async with listening(together) as url, Node(url) as node:
            return (await verify(made.paying(), made.terms(), node=node, rules=RULES)).response.is_valid

    assert asyncio.run(ask())


@pytest.mark.parametrize("ahead", [golden.LATEST - 1, golden.LATEST, golden.EXPIRATION - 1])
def test_the_later_of_two_ledgers_counts(ahead: int) -> None:
    """A ledger may close between the two answers, or a balancer may ask two nodes."""
    found = answer(simulated(transfer()), entries=NOTHING | {"latestLedger": ahead})
    assert found.is_valid
    late = answer(simulated(transfer()), entries=NOTHING | {"latestLedger": golden.EXPIRATION})
    assert late.extra == {"code": "AUTH_EXPIRED", "details": {}}
