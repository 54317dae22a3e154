"""Fees: what is charged, what comes back, and who pays when a transaction is bumped."""

from __future__ import annotations

import pytest
from stellar_sdk import Asset, FeeBumpTransactionEnvelope, Keypair, TransactionBuilder, TransactionEnvelope, xdr

from payments.sandbox import resources
from tests.payments.sandbox.bench import Bench, meta, operation_code, result

Code = xdr.TransactionResultCode
XLM = 10_000_000


def bump(bench: Bench, payer: Keypair, inner: TransactionEnvelope, rate: int) -> FeeBumpTransactionEnvelope:
    """`rate` is stroops an operation, as the SDK counts; the resource fee comes on top."""
    bumped = TransactionBuilder.build_fee_bump_transaction(payer, rate, inner, bench.network.passphrase)
    bumped.sign(payer)
    return bumped


def payment(bench: Bench, payer: Keypair, payee: Keypair, fee: int = 100, amount: str = "1") -> TransactionEnvelope:
    return bench.build(
        payer, lambda builder: builder.append_payment_op(payee.public_key, Asset.native(), amount), fee=fee
    )


def transfer(bench: Bench, more: int = 0) -> tuple[Keypair, Keypair, TransactionEnvelope]:
    """Payer, sender and a transfer of 5 units whose resource fee is `more` than simulated."""
    payer, payee, sender = bench.account(), bench.account("0"), bench.account(None)
    entry = bench.signed_transfer(payer, payee.public_key, 5)
    built = bench.transfer(sender, entry, payer, payee.public_key, 5)
    data = built.transaction.soroban_data
    assert data is not None
    data.resource_fee = xdr.Int64(data.resource_fee.int64 + more)
    built.transaction.fee += more
    built.signatures = []
    built.sign(sender)
    return payer, sender, built


@pytest.mark.parametrize("bid", [100, 5000])
def test_a_bid_is_a_bound_and_the_base_fee_is_charged(bench: Bench, bid: int) -> None:
    payer, payee = bench.account(None), bench.account(None)
    row = bench.apply(payment(bench, payer, payee, bid))
    assert result(row).fee_charged.int64 == 100
    assert bench.stroops(payer) == 9_999 * XLM - 100


def seven(builder: TransactionBuilder, payee: str) -> TransactionBuilder:
    for _ in range(7):
        builder.append_payment_op(payee, Asset.native(), "1")
    return builder


def test_each_operation_costs_a_base_fee(bench: Bench) -> None:
    payer = bench.account(None)
    row = bench.apply(bench.build(payer, lambda builder: seven(builder, payer.public_key)))
    assert result(row).fee_charged.int64 == 700


def test_what_a_call_did_not_use_comes_back(bench: Bench) -> None:
    _, sender, built = transfer(bench, more=50_000)
    declared = built.transaction.fee
    row = bench.apply(built)
    charged = result(row).fee_charged.int64
    assert bench.stroops(sender) == 10_000 * XLM - charged
    assert charged < declared - 50_000 + 1
    told = meta(row)
    assert told.soroban_meta is not None
    v1 = told.soroban_meta.ext.v1
    assert v1 is not None
    parts = v1.total_non_refundable_resource_fee_charged.int64 + v1.total_refundable_resource_fee_charged.int64
    assert charged == 100 + parts
    assert v1.rent_fee_charged.int64 == resources.RENT


def test_charge_and_refund_are_events_of_the_native_contract(bench: Bench) -> None:
    _, _, built = transfer(bench, more=50_000)
    row = bench.apply(built)
    before, after = meta(row).events
    assert before.stage is xdr.TransactionEventStage.TRANSACTION_EVENT_STAGE_BEFORE_ALL_TXS
    assert after.stage is xdr.TransactionEventStage.TRANSACTION_EVENT_STAGE_AFTER_ALL_TXS
    amounts = []
    for each in (before, after):
        assert each.event.body.v0 is not None
        assert each.event.body.v0.topics[0].sym == xdr.SCSymbol(b"fee")
        parts = each.event.body.v0.data.i128
        assert parts is not None
        amounts.append((parts.hi.int64 << 64) + parts.lo.uint64)
    assert amounts[0] == built.transaction.fee
    assert amounts[1] < 0
    assert sum(amounts) == result(row).fee_charged.int64


def test_a_call_that_fails_pays_what_it_declared_but_not_the_refundable_part(bench: Bench) -> None:
    payer, sender, built = transfer(bench)
    bench.done(payer, lambda b: b.append_payment_op(bench.keys.issuer, bench.asset, "100"))
    row = bench.apply(built)
    assert not row.succeeded
    data = built.transaction.soroban_data
    assert data is not None
    fixed = resources.fixed_fee(data.resources, len(row.envelope))
    assert result(row).fee_charged.int64 == 100 + fixed
    assert bench.stroops(sender) == 10_000 * XLM - 100 - fixed


def test_too_little_refundable_fee_fails_the_call(bench: Bench) -> None:
    payer, sender = bench.account(), bench.account(None)
    entry = bench.signed_transfer(payer, bench.keys.issuer, 5)
    call = bench.transfer(sender, entry, payer, bench.keys.issuer, 5)
    data = call.transaction.soroban_data
    assert data is not None
    size = len(call.to_xdr_object().to_xdr_bytes())
    data.resource_fee = xdr.Int64(resources.fixed_fee(data.resources, size))
    call.signatures = []
    call.sign(sender)
    row = bench.apply(call)
    assert operation_code(row) == "INVOKE_HOST_FUNCTION_INSUFFICIENT_REFUNDABLE_FEE"
    assert bench.units(payer) == 100 * XLM


def test_a_bumped_transaction_is_paid_by_who_bumps(bench: Bench) -> None:
    payer, payee, sponsor = bench.account(None), bench.account(None), bench.account(None)
    inner = payment(bench, payer, payee)
    row = bench.apply(bump(bench, sponsor, inner, 300))
    assert row.fee_bump
    assert (row.succeeded, row.inner_hash) == (True, inner.hash())
    told = result(row)
    assert told.fee_charged.int64 == 200
    assert told.result.code is Code.txFEE_BUMP_INNER_SUCCESS
    assert told.result.inner_result_pair is not None
    assert told.result.inner_result_pair.transaction_hash.hash == inner.hash()
    assert bench.stroops(payer) == 9_999 * XLM
    assert bench.stroops(sponsor) == 10_000 * XLM - 200


def test_a_bumped_transaction_is_found_by_both_hashes(bench: Bench) -> None:
    payer, payee, sponsor = bench.account(None), bench.account(None), bench.account(None)
    inner = payment(bench, payer, payee)
    row = bench.apply(bump(bench, sponsor, inner, 300))
    found = [bench.ask("getTransaction", hash=each.hex()) for each in (row.hash, inner.hash())]
    assert [each["txHash"] for each in found] == [row.hash.hex(), inner.hash().hex()]
    assert found[0]["envelopeXdr"] == found[1]["envelopeXdr"]
    assert all(each["feeBump"] and each["status"] == "SUCCESS" for each in found)


def test_an_inner_transaction_may_bid_nothing_when_the_bump_pays(bench: Bench) -> None:
    payer, payee, sponsor = bench.account(None), bench.account(None), bench.account(None)
    inner = payment(bench, payer, payee, fee=0)
    assert bench.refusal(inner) is Code.txINSUFFICIENT_FEE
    assert bench.apply(bump(bench, sponsor, inner, 100)).succeeded
    assert bench.stroops(payer) == 9_999 * XLM


def test_a_bumped_failure_says_so_twice(bench: Bench) -> None:
    payer, payee, sponsor = bench.account(None), bench.account(None), bench.account(None)
    row = bench.apply(bump(bench, sponsor, payment(bench, payer, payee, amount="99999"), 300))
    assert result(row).result.code is Code.txFEE_BUMP_INNER_FAILED
    assert operation_code(row) == "PAYMENT_UNDERFUNDED"
    assert bench.stroops(sponsor) == 10_000 * XLM - 200


def test_bumps_that_are_refused(bench: Bench) -> None:
    payer, payee, sponsor = bench.account(None), bench.account(None), bench.account(None)
    inner = payment(bench, payer, payee)
    unsigned = bump(bench, sponsor, inner, 300)
    unsigned.signatures = []
    assert bench.refusal(unsigned) is Code.txBAD_AUTH
    twice = bump(bench, sponsor, inner, 300)
    twice.sign(payee)
    assert bench.refusal(twice) is Code.txBAD_AUTH_EXTRA
    assert bench.refusal(bump(bench, Keypair.random(), inner, 300)) is Code.txNO_ACCOUNT
    inner.signatures = []
    sent = bench.send(bump(bench, sponsor, inner, 300))
    assert sent.error is not None
    assert sent.error.result.code is Code.txFEE_BUMP_INNER_FAILED
    pair = sent.error.result.inner_result_pair
    assert pair is not None
    assert pair.result.result.code is Code.txBAD_AUTH
    assert bench.stroops(sponsor) == 10_000 * XLM


@pytest.mark.parametrize(("rate", "status"), [(999, "TRY_AGAIN_LATER"), (1000, "PENDING")])
def test_a_waiting_transaction_is_replaced_by_ten_times_its_bid(bench: Bench, rate: int, status: str) -> None:
    payer, payee, sponsor = bench.account(None), bench.account(None), bench.account(None)
    inner = payment(bench, payer, payee)
    assert bench.send(inner).status == "PENDING"
    assert bench.send(bump(bench, sponsor, inner, rate)).status == status
    bench.node.close()
    replaced = status == "PENDING"
    assert bench.stroops(payer) == 9_999 * XLM - (0 if replaced else 100)


def test_a_transfer_can_be_bumped(bench: Bench) -> None:
    payer, sender, inner = transfer(bench)
    sponsor = bench.account(None)
    row = bench.apply(bump(bench, sponsor, inner, 200))
    assert row.succeeded
    assert bench.units(payer) == 100 * XLM - 5
    assert bench.stroops(sender) == 10_000 * XLM
    assert bench.stroops(sponsor) == 10_000 * XLM - result(row).fee_charged.int64
