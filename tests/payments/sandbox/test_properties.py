"""Whatever is sent, money is neither made nor lost: only the issuer makes the asset, only fees leave the accounts."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from stellar_sdk import Asset, Keypair, xdr

from payments.sandbox import faucet
from payments.sandbox.network import TOTAL_COINS
from tests.payments.sandbox.bench import NULL, Bench, transfer_arguments

PEOPLE = st.integers(0, 2)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("coins"), PEOPLE, PEOPLE, st.integers(1, 2 * 10**11)),
        st.tuples(st.just("asset"), PEOPLE, PEOPLE, st.integers(1, 2 * 10**9)),
        st.tuples(st.just("call"), PEOPLE, PEOPLE, st.integers(0, 2 * 10**9)),
        st.tuples(st.just("mint"), PEOPLE, PEOPLE, st.integers(1, 10**9)),
        st.tuples(st.just("burn"), PEOPLE, PEOPLE, st.integers(1, 2 * 10**9)),
    ),
    max_size=12,
)
Step = tuple[str, int, int, int]


def amount(units: int) -> str:
    return f"{units // 10**7}.{units % 10**7:07d}"


def take(bench: Bench, people: list[Keypair], step: Step) -> int:
    """Do one step. Returns the units of the asset that it made, negative when it took them away."""
    kind, one, two, units = step
    payer, payee = people[one], people[two]
    if kind == "mint":
        faucet.mint(bench.node, payee.public_key, amount(units))
        return units
    if kind == "call":
        return call(bench, people, step)
    to = bench.keys.issuer if kind == "burn" else payee.public_key
    asset = Asset.native() if kind == "coins" else bench.asset
    sent = bench.send(bench.build(payer, lambda builder: builder.append_payment_op(to, asset, amount(units))))
    bench.node.close()
    row = bench.node.store.transaction(sent.hash, bench.sequence)
    return -units if kind == "burn" and row is not None and row.succeeded else 0


def call(bench: Bench, people: list[Keypair], step: Step) -> int:
    _, one, two, units = step
    payer, payee = people[one], people[two]
    arguments = transfer_arguments(payer.public_key, payee.public_key, units)
    if "error" in bench.simulate(bench.call(NULL, "transfer", arguments, sequence=0)):
        return 0
    entry = bench.signed_transfer(payer, payee.public_key, units)
    bench.apply(bench.transfer(people[2], entry, payer, payee.public_key, units))
    return 0


@given(steps=STEPS)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_balances_add_up(steps: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        people = [bench.account("100") for _ in range(3)]
        made = 3 * 10**9 + sum(take(bench, people, step) for step in steps)
        entries = [entry.read() for _, entry in bench.node.store.every_entry()]
        coins = sum(each.account.balance.int64 for each in entries if each.account is not None)
        header = xdr.LedgerHeaderHistoryEntry.from_xdr_bytes(bench.node.latest.header).header
        assert coins + header.fee_pool.int64 == TOTAL_COINS
        assert sum(each.trust_line.balance.int64 for each in entries if each.trust_line is not None) == made
        assert all(each.trust_line.balance.int64 >= 0 for each in entries if each.trust_line is not None)
        bench.node.store.close()
