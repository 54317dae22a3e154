"""A transfer that passes simulation and fails on chain, by script."""

from __future__ import annotations

from payments.sandbox import control
from payments.sandbox.pace import Pace
from tests.payments.sandbox.bench import Bench, meta, operation_code


def test_the_next_ledger_with_a_call_fails_it_and_the_one_after_does_not(bench: Bench) -> None:
    pace = Pace(bench.node, 0)
    payer, payee, sender = bench.account("1"), bench.account("0"), bench.account(None)
    told = control.run(bench.node, pace, {"do": "fail_transfers"})
    assert told["faults"]["failing_ledgers"] == 1
    bench.node.close()
    entry = bench.signed_transfer(payer, payee.public_key, 5)
    row = bench.apply(bench.transfer(sender, entry, payer, payee.public_key, 5))
    assert (row.succeeded, operation_code(row)) == (False, "INVOKE_HOST_FUNCTION_TRAPPED")
    assert meta(row).diagnostic_events
    assert (bench.units(payer), bench.units(payee)) == (10_000_000, 0)
    assert bench.apply(bench.transfer(sender, entry, payer, payee.public_key, 5)).succeeded
    assert (bench.units(payer), bench.units(payee)) == (9_999_995, 5)


def test_authorisation_of_a_line_is_taken_and_given_back(bench: Bench) -> None:
    pace = Pace(bench.node, 0)
    holder = bench.account("1")
    for authorised in (False, True):
        control.run(bench.node, pace, {"do": "authorise", "address": holder.public_key, "authorised": authorised})
        sent = bench.send(
            bench.build(holder, lambda builder: builder.append_payment_op(bench.keys.issuer, bench.asset, "0.1"))
        )
        bench.node.close()
        row = bench.node.store.transaction(sent.hash, bench.sequence)
        assert row is not None
        assert row.succeeded is authorised
    assert bench.units(holder) == 9_000_000
