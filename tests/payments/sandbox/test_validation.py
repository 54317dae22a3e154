"""What keeps a transaction out of a ledger, each by its own code; nothing is charged for it."""

from __future__ import annotations

import base64
from collections.abc import Callable
from hashlib import sha256

import pytest
from stellar_sdk import (
    Asset,
    FeeBumpTransactionEnvelope,
    Keypair,
    LedgerBounds,
    MuxedAccount,
    SignerKey,
    TimeBounds,
    TransactionBuilder,
    TransactionEnvelope,
    xdr,
)

from payments.sandbox import transactions
from tests.payments.sandbox.bench import Bench, operation_code, result, transfer_arguments

Code = xdr.TransactionResultCode
XLM = 10_000_000
PASSPHRASE = "Standalone Network ; February 2017"


def pay(to: str, amount: str = "1") -> Callable[[TransactionBuilder], TransactionBuilder]:
    return lambda builder: builder.append_payment_op(to, Asset.native(), amount)


def changed(bench: Bench, change: Callable[[TransactionEnvelope], None]) -> TransactionEnvelope:
    """A payment of a new account to itself, changed before it is signed."""
    payer = bench.account(None)
    built = bench.build(payer, pay(payer.public_key), signers=())
    change(built)
    built.sign(payer)
    return built


def set_sequence(by: int) -> Callable[[TransactionEnvelope], None]:
    def change(built: TransactionEnvelope) -> None:
        built.transaction.sequence += by

    return change


def set_fee(fee: int) -> Callable[[TransactionEnvelope], None]:
    def change(built: TransactionEnvelope) -> None:
        built.transaction.fee = fee

    return change


def set_ledgers(first: int, last: int) -> Callable[[TransactionEnvelope], None]:
    def change(built: TransactionEnvelope) -> None:
        assert built.transaction.preconditions is not None
        built.transaction.preconditions.ledger_bounds = LedgerBounds(first, last)

    return change


def set_times(first: int, last: int) -> Callable[[TransactionEnvelope], None]:
    def change(built: TransactionEnvelope) -> None:
        assert built.transaction.preconditions is not None
        built.transaction.preconditions.time_bounds = TimeBounds(first, last)

    return change


def no_operations(built: TransactionEnvelope) -> None:
    built.transaction.operations = []


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (no_operations, Code.txMISSING_OPERATION),
        (set_sequence(1), Code.txBAD_SEQ),
        (set_sequence(-1), Code.txBAD_SEQ),
        (set_fee(99), Code.txINSUFFICIENT_FEE),
        (set_fee(0), Code.txINSUFFICIENT_FEE),
        (set_fee(2**32 - 1), None),
        (set_ledgers(1000, 0), Code.txTOO_EARLY),
        (set_ledgers(0, 2), Code.txTOO_LATE),
        (set_ledgers(1, 1000), None),
        (set_times(1_700_000_001, 0), Code.txTOO_EARLY),
        (set_times(0, 1_699_999_999), Code.txTOO_LATE),
        (set_times(1_700_000_000, 1_700_000_000), None),
    ],
    ids=[
        "no operation",
        "a number skipped",
        "a number used",
        "a stroop short",
        "no fee",
        "all it may bid",
        "ledger too early",
        "ledger too late",
        "ledger in bounds",
        "time too early",
        "time too late",
        "time in bounds",
    ],
)
def test_each_rule_has_its_code(
    bench: Bench, change: Callable[[TransactionEnvelope], None], code: xdr.TransactionResultCode | None
) -> None:
    built = changed(bench, change)
    payer = built.transaction.source.account_id
    before = bench.entry(payer).to_xdr()
    sent = bench.send(built)
    assert sent.status == ("PENDING" if code is None else "ERROR")
    assert (sent.error.result.code if sent.error else None) is code
    bench.node.close()
    assert (bench.entry(payer).to_xdr() == before) is (code is not None)


def test_an_account_that_is_not_there(bench: Bench) -> None:
    payer, nobody = bench.account(None), Keypair.random()
    built = bench.build(payer, pay(payer.public_key), signers=())
    built.transaction.source = MuxedAccount(nobody.public_key)
    built.sign(nobody)
    assert bench.refusal(built) is Code.txNO_ACCOUNT


def test_a_fee_that_cannot_be_paid(bench: Bench) -> None:
    payer, payee = bench.account(None), bench.account(None)
    rest = bench.stroops(payer) - 10_000_000 - 100 - 99
    bench.done(payer, pay(payee.public_key, f"{rest // XLM}.{rest % XLM:07d}"))
    assert bench.refusal(bench.build(payer, pay(payee.public_key, "0.0000001"))) is Code.txINSUFFICIENT_BALANCE


@pytest.mark.parametrize("signers", ["nobody", "stranger", "other network"])
def test_signatures_that_are_missing_or_wrong(bench: Bench, signers: str) -> None:
    payer = bench.account(None)
    built = bench.build(payer, pay(payer.public_key), signers=())
    if signers == "stranger":
        built.sign(Keypair.random())
    if signers == "other network":
        other = TransactionEnvelope.from_xdr(built.to_xdr(), "Test SDF Network ; September 2015")
        other.sign(payer)
        built.signatures = other.signatures
    assert bench.refusal(built) is Code.txBAD_AUTH


def test_a_signature_too_many(bench: Bench) -> None:
    payer = bench.account(None)
    built = bench.build(payer, pay(payer.public_key), signers=(payer, Keypair.random()))
    assert bench.refusal(built) is Code.txBAD_AUTH_EXTRA


def test_a_signature_over_something_else(bench: Bench) -> None:
    payer = bench.account(None)
    built = bench.build(payer, pay(payer.public_key))
    built.transaction.fee += 1
    assert bench.refusal(built) is Code.txBAD_AUTH


def test_another_source_of_an_operation_must_sign(bench: Bench) -> None:
    payer, other, payee = bench.account(None), bench.account(None), bench.account(None)

    def add(builder: TransactionBuilder) -> TransactionBuilder:
        return builder.append_payment_op(payee.public_key, Asset.native(), "1", source=other.public_key)

    sent = bench.send(bench.build(payer, add))
    assert sent.error is not None
    assert sent.error.result.results is not None
    assert sent.error.result.results[0].code is xdr.OperationResultCode.opBAD_AUTH
    assert bench.apply(bench.build(payer, add, signers=(payer, other))).succeeded
    assert bench.stroops(other) == 9_999 * XLM


def test_an_operation_of_an_account_that_was_never_there(bench: Bench) -> None:
    payer, nobody = bench.account(None), Keypair.random()

    def add(builder: TransactionBuilder) -> TransactionBuilder:
        return builder.append_payment_op(payer.public_key, Asset.native(), "1", source=nobody.public_key)

    row = bench.apply(bench.build(payer, add, signers=(payer, nobody)))
    assert (row.succeeded, operation_code(row)) == (False, "opNO_ACCOUNT")


def test_operations_that_this_ledger_has_not(bench: Bench) -> None:
    payer = bench.account(None)
    built = bench.build(payer, lambda builder: builder.append_manage_data_op("name", "value"))
    sent = bench.send(built)
    assert sent.error is not None
    assert sent.error.result.code is Code.txFAILED
    assert sent.error.result.results is not None
    assert sent.error.result.results[0].code is xdr.OperationResultCode.opNOT_SUPPORTED


def test_extra_signers_must_sign(bench: Bench) -> None:
    payer, extra = bench.account(None), Keypair.random()
    key = SignerKey.ed25519_public_key(extra.public_key)
    built = bench.build(payer, lambda builder: pay(payer.public_key)(builder).add_extra_signer(key))
    assert bench.refusal(built) is Code.txBAD_AUTH
    built.sign(extra)
    assert bench.apply(built).succeeded


def test_a_least_sequence_number_lets_numbers_be_skipped(bench: Bench) -> None:
    payer = bench.account(None)
    current = bench.next_sequence(payer.public_key).sequence
    built = bench.build(payer, pay(payer.public_key), signers=())
    assert built.transaction.preconditions is not None
    built.transaction.preconditions.min_sequence_number = current
    built.transaction.sequence += 50
    built.sign(payer)
    assert bench.apply(built).succeeded
    assert bench.next_sequence(payer.public_key).sequence == current + 51


def test_the_age_of_a_sequence_number_is_never_reached_here(bench: Bench) -> None:
    built = changed(bench, lambda each: setattr(each.transaction.preconditions, "min_sequence_age", 1))
    assert bench.refusal(built) is Code.txBAD_MIN_SEQ_AGE_OR_GAP


def call(bench: Bench, change: Callable[[TransactionEnvelope], None]) -> TransactionEnvelope:
    payer, payee, sender = bench.account(), bench.account("0"), bench.account(None)
    entry = bench.signed_transfer(payer, payee.public_key, 5)
    built = bench.transfer(sender, entry, payer, payee.public_key, 5)
    change(built)
    built.signatures = []
    built.sign(sender)
    return built


def no_data(built: TransactionEnvelope) -> None:
    built.transaction.soroban_data = None


def declare(fee: int) -> Callable[[TransactionEnvelope], None]:
    def change(built: TransactionEnvelope) -> None:
        assert built.transaction.soroban_data is not None
        built.transaction.soroban_data.resource_fee = xdr.Int64(fee)

    return change


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (no_data, Code.txSOROBAN_INVALID),
        (declare(1), Code.txSOROBAN_INVALID),
        (declare(-1), Code.txSOROBAN_INVALID),
        (declare(2**40), Code.txINSUFFICIENT_FEE),
    ],
    ids=["no data", "too little", "negative", "more than the fee"],
)
def test_calls_that_declare_too_little(
    bench: Bench, change: Callable[[TransactionEnvelope], None], code: xdr.TransactionResultCode
) -> None:
    assert bench.refusal(call(bench, change)) is code


def test_a_classic_transaction_declares_no_resources(bench: Bench) -> None:
    other = call(bench, lambda built: None)
    built = changed(bench, lambda each: setattr(each.transaction, "soroban_data", other.transaction.soroban_data))
    assert bench.refusal(built) in (Code.txMALFORMED, Code.txINSUFFICIENT_FEE)


def test_a_call_outside_its_footprint_traps(bench: Bench) -> None:
    payer, payee, sender = bench.account(), bench.account("0"), bench.account(None)
    entry = bench.signed_transfer(payer, payee.public_key, 5)
    built = bench.transfer(sender, entry, payer, payee.public_key, 5)
    data = built.transaction.soroban_data
    assert data is not None
    data.resources.footprint.read_write = data.resources.footprint.read_write[1:]
    built.signatures = []
    built.sign(sender)
    row = bench.apply(built)
    assert (row.succeeded, operation_code(row)) == (False, "INVOKE_HOST_FUNCTION_TRAPPED")
    assert bench.units(payee) == 0


def test_one_transaction_of_an_account_waits(bench: Bench) -> None:
    payer = bench.account(None)
    first = bench.build(payer, pay(payer.public_key))
    second = bench.build(payer, pay(payer.public_key, "2"))
    assert [bench.send(each).status for each in (first, first, second)] == ["PENDING", "DUPLICATE", "TRY_AGAIN_LATER"]
    bench.node.close()
    assert bench.refusal(first) is Code.txBAD_SEQ


def test_what_is_too_late_when_the_ledger_closes_is_in_no_ledger(bench: Bench) -> None:
    payer = bench.account(None)
    before = bench.stroops(payer)
    sent = bench.send(bench.build(payer, pay(payer.public_key)))
    assert sent.status == "PENDING"
    bench.clock.seconds += 301
    bench.node.close()
    assert bench.node.store.transaction(sent.hash, bench.sequence) is None
    assert bench.stroops(payer) == before
    assert bench.node.waiting == {}


def test_the_fee_is_charged_for_what_fails(bench: Bench) -> None:
    payer, payee = bench.account(None), bench.account(None)
    row = bench.apply(bench.build(payer, pay(payee.public_key, "20000"), fee=1000))
    assert (row.succeeded, operation_code(row)) == (False, "PAYMENT_UNDERFUNDED")
    assert result(row).fee_charged.int64 == 100
    assert bench.stroops(payer) == 10_000 * XLM - 100


def test_all_operations_of_a_transaction_or_none(bench: Bench) -> None:
    payer, payee = bench.account(None), bench.account(None)
    row = bench.apply(
        bench.build(payer, lambda builder: pay(payee.public_key, "99999")(pay(payee.public_key, "1")(builder)))
    )
    assert not row.succeeded
    codes = [
        each.tr and each.tr.payment_result and each.tr.payment_result.code.name
        for each in result(row).result.results or []
    ]
    assert codes == ["PAYMENT_SUCCESS", "PAYMENT_UNDERFUNDED"]
    assert bench.stroops(payee) == 10_000 * XLM
    assert bench.stroops(payer) == 10_000 * XLM - 200


@pytest.mark.parametrize(
    "text", ["", "AAAA", "not base64!", "AAAAAgAAAAA=", "====", base64.b64encode(bytes(300)).decode(), "é" * 40]
)
def test_bytes_that_are_no_transaction(bench: Bench, text: str) -> None:
    with pytest.raises(transactions.Unreadable):
        bench.node.read(text)


@pytest.mark.parametrize("cut", [1, 4, 40])
def test_an_envelope_cut_short_or_with_bytes_after_it(bench: Bench, cut: int) -> None:
    raw = base64.b64decode(changed(bench, lambda each: None).to_xdr())
    for spoiled in (raw[:-cut], raw + bytes(cut)):
        with pytest.raises(transactions.Unreadable):
            bench.node.read(base64.b64encode(spoiled).decode())


def test_an_envelope_that_is_too_large(bench: Bench) -> None:
    with pytest.raises(transactions.Unreadable, match="too large"):
        bench.node.read("A" * 400_000)


def test_hashes_are_those_that_the_sdk_signs(bench: Bench) -> None:
    payer = bench.account(None)
    built = bench.build(payer, pay(payer.public_key))
    bump = TransactionBuilder.build_fee_bump_transaction(payer, 200, built, PASSPHRASE)
    bump.sign(payer)
    assert bench.node.read(built.to_xdr()).hash == built.hash()
    read = bench.node.read(bump.to_xdr())
    assert (read.hash, read.inner_hash) == (bump.hash(), built.hash())
    assert isinstance(bump, FeeBumpTransactionEnvelope)
    assert sha256(bench.network.passphrase.encode()).digest() == bench.network.id


def test_a_call_has_one_operation_and_no_memo(bench: Bench) -> None:
    payer, payee = bench.account(), bench.account("0")
    arguments = transfer_arguments(payer.public_key, payee.public_key, 5)
    simulated = bench.simulate(bench.call(payer.public_key, "transfer", arguments))
    for spoil in (lambda each: each.add_text_memo("hello"), pay(payee.public_key)):
        builder = spoil(bench.call(payer.public_key, "transfer", arguments))
        built = builder.set_soroban_data(simulated["transactionData"]).build()
        built.transaction.fee += 1000
        built.sign(payer)
        assert bench.refusal(built) is Code.txSOROBAN_INVALID
