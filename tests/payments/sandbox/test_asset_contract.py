"""The asset's contract: what it answers, what it moves, and the number with which it refuses."""

from __future__ import annotations

import pytest
from stellar_sdk import Keypair, MuxedAccount, scval, xdr

from payments.sandbox import faucet
from payments.sandbox.balances import MOST
from tests.payments.sandbox.bench import NULL, Bench, meta, operation_code, transfer_arguments

XLM = 10_000_000


def value(bench: Bench, function: str, *arguments: xdr.SCVal, contract: str | None = None) -> object:
    answer = bench.simulate(bench.call(NULL, function, arguments, contract=contract, sequence=0))
    assert "error" not in answer, answer["error"]
    return scval.to_native(answer["results"][0]["xdr"])


def refused(bench: Bench, payer: str, payee: str, units: int, contract: str | None = None) -> str:
    """The error of the recording simulation of a transfer, its first line."""
    arguments = transfer_arguments(payer, payee, units)
    answer = bench.simulate(bench.call(NULL, "transfer", arguments, contract=contract, sequence=0))
    return str(answer["error"]).splitlines()[0]


def test_it_says_what_it_is(bench: Bench) -> None:
    assert value(bench, "decimals") == 7
    assert value(bench, "symbol") == "USDC"
    assert value(bench, "name") == f"USDC:{bench.keys.issuer}"


def test_the_native_contract_says_what_it_is(bench: Bench) -> None:
    assert value(bench, "decimals", contract=bench.native) == 7
    assert value(bench, "symbol", contract=bench.native) == "native"
    assert value(bench, "name", contract=bench.native) == "native"


def test_balances_are_those_of_the_ledger(bench: Bench) -> None:
    holder, other = bench.account("12.5"), bench.account(None)
    assert value(bench, "balance", scval.to_address(holder.public_key)) == 125_000_000
    assert value(bench, "balance", scval.to_address(other.public_key)) == 0
    native = value(bench, "balance", scval.to_address(other.public_key), contract=bench.native)
    assert native == 10_000 * XLM
    assert value(bench, "balance", scval.to_address(bench.keys.issuer)) == MOST


@pytest.mark.parametrize("units", [1, 10_000, 1_000_000_000])
def test_a_transfer_moves_exactly_its_amount(bench: Bench, units: int) -> None:
    payer, payee, sender = bench.account("100"), bench.account("0"), bench.account(None)
    entry = bench.signed_transfer(payer, payee.public_key, units)
    assert bench.apply(bench.transfer(sender, entry, payer, payee.public_key, units)).succeeded
    assert (bench.units(payer), bench.units(payee)) == (1_000_000_000 - units, units)


def test_native_coins_move_through_their_contract(bench: Bench) -> None:
    payer, payee, sender = bench.account(None), bench.account(None), bench.account(None)
    entry = bench.signed_transfer(payer, payee.public_key, 7 * XLM, contract=bench.native)
    built = bench.transfer(sender, entry, payer, payee.public_key, 7 * XLM, contract=bench.native)
    assert bench.apply(built).succeeded
    assert (bench.stroops(payer), bench.stroops(payee)) == (9_993 * XLM, 10_007 * XLM)


def test_a_contract_can_receive(bench: Bench) -> None:
    payer, sender = bench.account("1"), bench.account(None)
    entry = bench.signed_transfer(payer, bench.native, 400)
    assert bench.apply(bench.transfer(sender, entry, payer, bench.native, 400)).succeeded
    assert value(bench, "balance", scval.to_address(bench.native)) == 400


def test_nothing_may_be_moved(bench: Bench) -> None:
    payer, payee, sender = bench.account("1"), bench.account("0"), bench.account(None)
    entry = bench.signed_transfer(payer, payee.public_key, 0)
    assert bench.apply(bench.transfer(sender, entry, payer, payee.public_key, 0)).succeeded
    assert bench.units(payer) == XLM


@pytest.mark.parametrize(
    ("units", "error"),
    [
        (-1, "HostError: Error(Contract, #8)"),
        (-(2**127), "HostError: Error(Contract, #8)"),
        (10_000_001, "HostError: Error(Contract, #10)"),
        (2**63 - 1, "HostError: Error(Contract, #10)"),
        (2**63, "HostError: Error(Contract, #10)"),
        (2**127 - 1, "HostError: Error(Contract, #10)"),
    ],
)
def test_amounts_that_cannot_be_moved(bench: Bench, units: int, error: str) -> None:
    payer, payee = bench.account("1"), bench.account("0")
    assert refused(bench, payer.public_key, payee.public_key, units) == error
    assert (bench.units(payer), bench.units(payee)) == (10_000_000, 0)


def test_a_payee_without_a_trustline_is_error_13(bench: Bench) -> None:
    payer, payee = bench.account("1"), bench.account(None)
    assert refused(bench, payer.public_key, payee.public_key, 1) == "HostError: Error(Contract, #13)"


def test_a_payer_without_a_trustline_is_error_13(bench: Bench) -> None:
    payer, payee = bench.account(None), bench.account("0")
    assert refused(bench, payer.public_key, payee.public_key, 1) == "HostError: Error(Contract, #13)"


def test_a_payee_who_is_no_account_is_error_13_and_6_for_coins(bench: Bench) -> None:
    payer, nobody = bench.account("1"), Keypair.random().public_key
    assert refused(bench, payer.public_key, nobody, 1) == "HostError: Error(Contract, #13)"
    assert refused(bench, payer.public_key, nobody, 1, bench.native) == "HostError: Error(Contract, #6)"


@pytest.mark.parametrize("who", ["payer", "payee"])
def test_a_deauthorised_trustline_is_error_11(bench: Bench, who: str) -> None:
    payer, payee = bench.account("1"), bench.account("0")
    faucet.authorise(bench.node, {"payer": payer, "payee": payee}[who].public_key, authorised=False)
    assert refused(bench, payer.public_key, payee.public_key, 1) == "HostError: Error(Contract, #11)"
    faucet.authorise(bench.node, {"payer": payer, "payee": payee}[who].public_key, authorised=True)
    arguments = transfer_arguments(payer.public_key, payee.public_key, 1)
    assert "error" not in bench.simulate(bench.call(NULL, "transfer", arguments, sequence=0))


def test_a_full_trustline_is_error_10(bench: Bench) -> None:
    payer, payee = bench.account("10"), bench.account(None)
    bench.done(payee, lambda builder: builder.append_change_trust_op(bench.asset, "0.0000005"))
    arguments = transfer_arguments(payer.public_key, payee.public_key, 5)
    assert "error" not in bench.simulate(bench.call(NULL, "transfer", arguments, sequence=0))
    assert refused(bench, payer.public_key, payee.public_key, 6) == "HostError: Error(Contract, #10)"


def test_the_reserve_stays_in_the_account(bench: Bench) -> None:
    payer, payee = bench.account("1"), bench.account(None)
    most = bench.stroops(payer) - 15_000_000
    assert refused(bench, payer.public_key, payee.public_key, most + 1, bench.native).endswith("#10)")
    arguments = transfer_arguments(payer.public_key, payee.public_key, most)
    assert "error" not in bench.simulate(bench.call(NULL, "transfer", arguments, contract=bench.native, sequence=0))


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ([], "Error(Context, UnexpectedSize)"),
        ([scval.to_address(NULL)] * 4, "Error(Context, UnexpectedSize)"),
        ([scval.to_address(NULL), scval.to_address(NULL), scval.to_uint64(1)], "Error(Value, UnexpectedType)"),
        ([scval.to_address(NULL), scval.to_address(NULL), scval.to_uint128(1)], "Error(Value, UnexpectedType)"),
        ([scval.to_string("G"), scval.to_address(NULL), scval.to_int128(1)], "Error(Value, UnexpectedType)"),
        ([scval.to_address(NULL), scval.to_void(), scval.to_int128(1)], "Error(Value, UnexpectedType)"),
    ],
)
def test_arguments_of_another_shape(bench: Bench, arguments: list[xdr.SCVal], error: str) -> None:
    answer = bench.simulate(bench.call(NULL, "transfer", arguments, sequence=0))
    assert answer["error"].startswith(f"HostError: {error}")


@pytest.mark.parametrize("function", ["mint", "approve", "nonsense"])
def test_functions_that_are_not_here(bench: Bench, function: str) -> None:
    answer = bench.simulate(bench.call(NULL, function, [], sequence=0))
    assert answer["error"].startswith("HostError: Error(Context, MissingValue)")


def test_a_contract_that_is_not_here(bench: Bench) -> None:
    missing = "CCW67TSZV3SSS2HXMBQ5JFGCKJNXKZM7UQUWUZPUTHXSTZLEO7SJMI75"
    answer = bench.simulate(bench.call(NULL, "decimals", [], contract=missing, sequence=0))
    assert answer["error"].startswith("HostError: Error(Storage, MissingValue)")


def topics(event: xdr.ContractEvent) -> list[object]:
    assert event.body.v0 is not None
    return [scval.to_native(topic) for topic in event.body.v0.topics]


def data(event: xdr.ContractEvent) -> object:
    assert event.body.v0 is not None
    return scval.to_native(event.body.v0.data)


def test_a_transfer_tells_four_topics(bench: Bench) -> None:
    payer, payee, sender = bench.account("1"), bench.account("0"), bench.account(None)
    entry = bench.signed_transfer(payer, payee.public_key, 7)
    row = bench.apply(bench.transfer(sender, entry, payer, payee.public_key, 7))
    (event,) = meta(row).operations[0].events
    name, source, destination, asset = topics(event)
    assert (name, asset) == ("transfer", f"USDC:{bench.keys.issuer}")
    assert [getattr(each, "address", None) for each in (source, destination)] == [payer.public_key, payee.public_key]
    assert data(event) == 7


def test_a_muxed_payee_is_told_in_a_map(bench: Bench) -> None:
    payer, payee, sender = bench.account("1"), bench.account("0"), bench.account(None)
    muxed = MuxedAccount(payee.public_key, 77).account_muxed
    assert muxed is not None
    entry = bench.signed_transfer(payer, muxed, 7)
    row = bench.apply(bench.transfer(sender, entry, payer, muxed, 7))
    (event,) = meta(row).operations[0].events
    assert getattr(topics(event)[2], "address", None) == payee.public_key
    assert data(event) == {"amount": 7, "to_muxed_id": 77}
    assert bench.units(payee) == 7


def test_to_the_issuer_is_a_burn_and_from_it_a_mint(bench: Bench) -> None:
    payer, sender = bench.account("1"), bench.account(None)
    entry = bench.signed_transfer(payer, bench.keys.issuer, 7)
    row = bench.apply(bench.transfer(sender, entry, payer, bench.keys.issuer, 7))
    (burned,) = meta(row).operations[0].events
    assert topics(burned)[0] == "burn"
    assert len(topics(burned)) == 3
    minted = faucet.mint(bench.node, payer.public_key, "0.0000009")
    (event,) = meta(minted).operations[0].events
    assert topics(event)[0] == "mint"
    assert data(event) == 9
    assert bench.units(payer) == 10_000_002


def test_what_fails_on_chain_says_why_and_moves_nothing(bench: Bench) -> None:
    """The balance went between simulation and ledger."""
    payer, payee, sender = bench.account("1"), bench.account("0"), bench.account(None)
    entry = bench.signed_transfer(payer, payee.public_key, 10_000_000)
    built = bench.transfer(sender, entry, payer, payee.public_key, 10_000_000)
    bench.done(payer, lambda builder: builder.append_payment_op(payee.public_key, bench.asset, "0.0000001"))
    row = bench.apply(built)
    assert (row.succeeded, operation_code(row)) == (False, "INVOKE_HOST_FUNCTION_TRAPPED")
    told = meta(row)
    assert told.operations == []
    body = told.diagnostic_events[-1].event.body.v0
    assert body is not None
    error = body.topics[1].error
    assert error is not None
    assert error.contract_code == xdr.Uint32(10)
    assert (bench.units(payer), bench.units(payee)) == (9_999_999, 1)
