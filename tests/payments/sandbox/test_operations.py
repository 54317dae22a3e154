"""Classic operations: their result codes, what they leave in the ledger, and the events of payments."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

import pytest
from stellar_sdk import Asset, AuthorizationFlag, Keypair, MuxedAccount, TransactionBuilder, TrustLineFlags, scval, xdr

from payments.sandbox import entries, faucet
from payments.sandbox.paying import stroops
from payments.sandbox.records import TransactionRow
from tests.payments.sandbox.bench import Bench, meta, operation_code

XLM = 10_000_000
Add = Callable[[TransactionBuilder], TransactionBuilder]


def tried(bench: Bench, source: Keypair, add: Add) -> str:
    return operation_code(bench.apply(bench.build(source, add)))


def told(row: TransactionRow) -> list[tuple[list[object], object]]:
    """Topics and data of the first operation's events, addresses as texts."""
    found: list[tuple[list[object], object]] = []
    for event in meta(row).operations[0].events:
        assert event.body.v0 is not None
        topics = [scval.to_native(topic) for topic in event.body.v0.topics]
        found.append(([getattr(each, "address", each) for each in topics], scval.to_native(event.body.v0.data)))
    return found


@pytest.mark.parametrize(
    ("text", "units"),
    [("1", 10_000_000), ("0.0000001", 1), ("1E-7", 1), ("922337203685.4775807", 2**63 - 1), ("12.50", 125_000_000)],
)
def test_amounts_are_read_to_the_unit(text: str, units: int) -> None:
    assert stroops(text) == units


def test_a_new_account_starts_with_its_balance_and_the_ledgers_number(bench: Bench) -> None:
    payer, new = bench.account(None), Keypair.random()
    row = bench.done(payer, lambda builder: builder.append_create_account_op(new.public_key, "2.5"))
    entry = bench.entry(new.public_key)
    assert (entry.balance.int64, entry.seq_num.sequence_number.int64) == (25_000_000, row.ledger << 32)
    assert told(row) == [(["transfer", payer.public_key, new.public_key, "native"], 25_000_000)]
    assert bench.stroops(payer) == 10_000 * XLM - 25_000_000 - 100


@pytest.mark.parametrize(
    ("balance", "code"),
    [("0.9999999", "CREATE_ACCOUNT_LOW_RESERVE"), ("9999.1", "CREATE_ACCOUNT_UNDERFUNDED")],
)
def test_accounts_that_cannot_be_made(bench: Bench, balance: str, code: str) -> None:
    payer, new = bench.account(None), Keypair.random()
    assert tried(bench, payer, lambda builder: builder.append_create_account_op(new.public_key, balance)) == code
    assert bench.node.store.get(entries.account_key(new.public_key)) is None
    assert bench.stroops(payer) == 10_000 * XLM - 100


def test_an_account_is_made_once(bench: Bench) -> None:
    payer, there = bench.account(None), bench.account(None)
    code = tried(bench, payer, lambda builder: builder.append_create_account_op(there.public_key, "2"))
    assert code == "CREATE_ACCOUNT_ALREADY_EXIST"


def test_a_payment_of_coins_tells_a_transfer(bench: Bench) -> None:
    payer, payee = bench.account(None), bench.account(None)
    row = bench.done(payer, lambda builder: builder.append_payment_op(payee.public_key, Asset.native(), "3"))
    assert told(row) == [(["transfer", payer.public_key, payee.public_key, "native"], 3 * XLM)]
    assert (bench.stroops(payer), bench.stroops(payee)) == (9_997 * XLM - 100, 10_003 * XLM)


def test_a_payment_of_the_asset_tells_the_event_of_its_contract(bench: Bench) -> None:
    payer, payee = bench.account("5"), bench.account("0")
    row = bench.done(payer, lambda builder: builder.append_payment_op(payee.public_key, bench.asset, "2"))
    name = f"USDC:{bench.keys.issuer}"
    assert told(row) == [(["transfer", payer.public_key, payee.public_key, name], 2 * XLM)]
    (event,) = meta(row).operations[0].events
    assert event.contract_id is not None
    assert scval.from_address(scval.to_address(bench.contract)).key == event.contract_id.contract_id.hash
    assert (bench.units(payer), bench.units(payee)) == (3 * XLM, 2 * XLM)


@pytest.mark.parametrize("how", ["muxed", "id", "text", "hash", "return"])
def test_a_sub_account_is_told_beside_the_amount(bench: Bench, how: str) -> None:
    payer, payee = bench.account("5"), bench.account("0")
    muxed = MuxedAccount(payee.public_key, 9).account_muxed
    memos: dict[str, tuple[Add, object]] = {
        "muxed": (lambda builder: builder, 9),
        "id": (lambda builder: builder.add_id_memo(2**64 - 1), 2**64 - 1),
        "text": (lambda builder: builder.add_text_memo("order 7"), "order 7"),
        "hash": (lambda builder: builder.add_hash_memo(b"h" * 32), b"h" * 32),
        "return": (lambda builder: builder.add_return_hash_memo(b"r" * 32), b"r" * 32),
    }
    add, expected = memos[how]
    destination = str(muxed) if how == "muxed" else payee.public_key
    row = bench.done(payer, lambda builder: add(builder.append_payment_op(destination, bench.asset, "1")))
    ((topics, data),) = told(row)
    assert topics[2] == payee.public_key
    assert data == {"amount": XLM, "to_muxed_id": expected}
    assert bench.units(payee) == XLM


def test_payments_from_and_to_the_issuer_are_mint_and_burn(bench: Bench) -> None:
    payer = bench.account("5")
    name = f"USDC:{bench.keys.issuer}"
    minted = faucet.mint(bench.node, payer.public_key, "1")
    assert told(minted) == [(["mint", payer.public_key, name], XLM)]
    burned = bench.done(payer, lambda builder: builder.append_payment_op(bench.keys.issuer, bench.asset, "2"))
    assert told(burned) == [(["burn", payer.public_key, name], 2 * XLM)]
    assert bench.units(payer) == 4 * XLM


@pytest.mark.parametrize(
    ("payer_has", "payee_has", "amount", "code"),
    [
        ("1", "0", "1.0000001", "PAYMENT_UNDERFUNDED"),
        (None, "0", "1", "PAYMENT_SRC_NO_TRUST"),
        ("1", None, "1", "PAYMENT_NO_TRUST"),
    ],
)
def test_payments_of_the_asset_that_fail(
    bench: Bench, payer_has: str | None, payee_has: str | None, amount: str, code: str
) -> None:
    payer, payee = bench.account(payer_has), bench.account(payee_has)
    before = bench.units(payer)
    assert tried(bench, payer, lambda builder: builder.append_payment_op(payee.public_key, bench.asset, amount)) == code
    assert (bench.units(payer), bench.units(payee)) == (before, 0)


def test_a_payment_to_nobody(bench: Bench) -> None:
    payer, nobody = bench.account("1"), Keypair.random().public_key
    for asset in (Asset.native(), bench.asset):
        code = tried(bench, payer, lambda builder, asset=asset: builder.append_payment_op(nobody, asset, "1"))  # type: ignore[misc]
        assert code == "PAYMENT_NO_DESTINATION"


@pytest.mark.parametrize(
    ("who", "code"), [("payer", "PAYMENT_SRC_NOT_AUTHORIZED"), ("payee", "PAYMENT_NOT_AUTHORIZED")]
)
def test_a_payment_with_a_deauthorised_line(bench: Bench, who: str, code: str) -> None:
    both = {"payer": bench.account("1"), "payee": bench.account("0")}
    faucet.authorise(bench.node, both[who].public_key, authorised=False)
    to = both["payee"].public_key
    assert tried(bench, both["payer"], lambda builder: builder.append_payment_op(to, bench.asset, "1")) == code
    assert bench.units(both["payer"]) == XLM


def test_a_payment_beyond_the_limit_of_the_line(bench: Bench) -> None:
    payer, payee = bench.account("5"), bench.account(None)
    bench.done(payee, lambda builder: builder.append_change_trust_op(bench.asset, "1"))
    code = tried(bench, payer, lambda builder: builder.append_payment_op(payee.public_key, bench.asset, "1.0000001"))
    assert code == "PAYMENT_LINE_FULL"
    bench.done(payer, lambda builder: builder.append_payment_op(payee.public_key, bench.asset, "1"))
    assert bench.units(payee) == XLM


def test_a_trustline_is_made_changed_and_removed(bench: Bench) -> None:
    holder = bench.account(None)
    bench.done(holder, lambda builder: builder.append_change_trust_op(bench.asset, "7"))
    assert bench.entry(holder.public_key).num_sub_entries.uint32 == 1
    bench.done(holder, lambda builder: builder.append_change_trust_op(bench.asset, "9"))
    assert bench.entry(holder.public_key).num_sub_entries.uint32 == 1
    bench.done(holder, lambda builder: builder.append_change_trust_op(bench.asset, "0"))
    assert bench.entry(holder.public_key).num_sub_entries.uint32 == 0
    assert bench.node.store.get(entries.trustline_key(holder.public_key, bench.asset)) is None


def test_trustlines_that_cannot_be_changed(bench: Bench) -> None:
    holder = bench.account("5")
    nobody = Asset("NONE", Keypair.random().public_key)
    own = Asset("OWN", holder.public_key)
    cases = [
        (bench.asset, "4.9999999", "CHANGE_TRUST_INVALID_LIMIT"),
        (bench.asset, "0", "CHANGE_TRUST_INVALID_LIMIT"),
        (nobody, "0", "CHANGE_TRUST_INVALID_LIMIT"),
        (nobody, "5", "CHANGE_TRUST_NO_ISSUER"),
        (own, "5", "CHANGE_TRUST_SELF_NOT_ALLOWED"),
    ]
    for asset, limit, code in cases:
        add: Add = lambda builder, asset=asset, limit=limit: builder.append_change_trust_op(asset, limit)  # type: ignore[misc]  # noqa: E731
        assert tried(bench, holder, add) == code
    assert bench.units(holder) == 5 * XLM


def test_a_trustline_needs_its_reserve(bench: Bench) -> None:
    payer, poor = bench.account(None), Keypair.random()
    bench.done(payer, lambda builder: builder.append_create_account_op(poor.public_key, "1.4"))
    assert tried(bench, poor, lambda builder: builder.append_change_trust_op(bench.asset)) == "CHANGE_TRUST_LOW_RESERVE"
    bench.done(payer, lambda builder: builder.append_payment_op(poor.public_key, Asset.native(), "0.1001"))
    bench.done(poor, lambda builder: builder.append_change_trust_op(bench.asset))


def test_an_issuer_may_want_to_authorise_first(bench: Bench) -> None:
    issuer, holder = bench.account(None), bench.account(None)
    flags = AuthorizationFlag.AUTHORIZATION_REQUIRED | AuthorizationFlag.AUTHORIZATION_REVOCABLE
    bench.done(issuer, lambda builder: builder.append_set_options_op(set_flags=flags))
    asset = Asset("STRICT", issuer.public_key)
    bench.done(holder, lambda builder: builder.append_change_trust_op(asset))
    pay: Add = lambda builder: builder.append_payment_op(holder.public_key, asset, "1")  # noqa: E731
    assert tried(bench, issuer, pay) == "PAYMENT_NOT_AUTHORIZED"
    bench.done(
        issuer,
        lambda builder: builder.append_set_trust_line_flags_op(
            holder.public_key, asset, set_flags=TrustLineFlags.AUTHORIZED_FLAG
        ),
    )
    bench.done(issuer, pay)


def test_flags_that_an_issuer_may_not_change(bench: Bench) -> None:
    issuer, holder = bench.account(None), bench.account("1")
    asset = Asset("MILD", issuer.public_key)
    flag = TrustLineFlags.AUTHORIZED_FLAG
    give: Add = lambda builder: builder.append_set_trust_line_flags_op(holder.public_key, asset, set_flags=flag)  # noqa: E731
    take: Add = lambda builder: builder.append_set_trust_line_flags_op(holder.public_key, asset, clear_flags=flag)  # noqa: E731
    other: Add = lambda builder: builder.append_set_trust_line_flags_op(  # noqa: E731
        holder.public_key, bench.asset, clear_flags=flag
    )
    assert tried(bench, issuer, give) == "SET_TRUST_LINE_FLAGS_NO_TRUST_LINE"
    assert tried(bench, issuer, take) == "SET_TRUST_LINE_FLAGS_CANT_REVOKE"
    assert tried(bench, issuer, other) == "SET_TRUST_LINE_FLAGS_MALFORMED"
    assert bench.units(holder) == XLM


def test_signers_are_added_changed_and_removed(bench: Bench) -> None:
    owner, other = bench.account(None), Keypair.random()
    for weight, count in ((1, 1), (5, 1), (0, 0)):
        bench.done(owner, lambda builder, w=weight: builder.append_ed25519_public_key_signer(other.public_key, w))  # type: ignore[misc]
        entry = bench.entry(owner.public_key)
        assert [each.weight.uint32 for each in entry.signers] == [weight] * count
        assert entry.num_sub_entries.uint32 == count


def test_options_that_are_refused(bench: Bench) -> None:
    owner = bench.account(None)
    own: Add = lambda builder: builder.append_ed25519_public_key_signer(owner.public_key, 1)  # noqa: E731
    heavy: Add = lambda builder: builder.append_ed25519_public_key_signer(bench.keys.issuer, 256)  # noqa: E731
    high: Add = lambda builder: builder.append_set_options_op(high_threshold=256)  # noqa: E731
    assert tried(bench, owner, own) == "SET_OPTIONS_BAD_SIGNER"
    assert tried(bench, owner, heavy) == "SET_OPTIONS_BAD_SIGNER"
    assert tried(bench, owner, high) == "SET_OPTIONS_THRESHOLD_OUT_OF_RANGE"
    assert bench.entry(owner.public_key).signers == []


def test_thresholds_decide_who_may_do_what(bench: Bench) -> None:
    owner, second = bench.account(None), Keypair.random()
    bench.done(owner, lambda builder: builder.append_ed25519_public_key_signer(second.public_key, 1))
    bench.done(
        owner,
        lambda builder: builder.append_set_options_op(
            low_threshold=1, med_threshold=2, high_threshold=3, home_domain="a.b"
        ),
    )
    assert bench.entry(owner.public_key).home_domain.string32 == b"a.b"
    pay: Add = lambda builder: builder.append_payment_op(owner.public_key, Asset.native(), "1")  # noqa: E731
    change: Add = lambda builder: builder.append_set_options_op(med_threshold=0)  # noqa: E731
    alone = bench.send(bench.build(owner, pay))
    assert alone.error is not None
    assert alone.error.result.code is xdr.TransactionResultCode.txFAILED
    both = bench.send(bench.build(owner, change, signers=(owner, second)))
    assert both.error is not None
    assert both.error.result.code is xdr.TransactionResultCode.txFAILED
    assert bench.apply(bench.build(owner, pay, signers=(owner, second))).succeeded


def test_a_master_key_of_no_weight_signs_nothing(bench: Bench) -> None:
    owner, second = bench.account(None), Keypair.random()
    bench.done(owner, lambda builder: builder.append_ed25519_public_key_signer(second.public_key, 1))
    bench.done(owner, lambda builder: builder.append_set_options_op(master_weight=0))
    pay: Add = lambda builder: builder.append_payment_op(owner.public_key, Asset.native(), "1")  # noqa: E731
    assert bench.refusal(bench.build(owner, pay)) is xdr.TransactionResultCode.txBAD_AUTH
    assert bench.apply(bench.build(owner, pay, signers=(second,))).succeeded


def test_hashes_and_whole_transactions_can_be_signers(bench: Bench) -> None:
    owner, secret = bench.account(None), b"a secret that is shown once"
    bench.done(owner, lambda builder: builder.append_hashx_signer(sha256(secret).digest(), 1))
    pay: Add = lambda builder: builder.append_payment_op(owner.public_key, Asset.native(), "1")  # noqa: E731
    shown = bench.build(owner, pay, signers=())
    shown.sign_hashx(secret)
    assert bench.apply(shown).succeeded
    wrong = bench.build(owner, pay, signers=())
    wrong.sign_hashx(secret + b"!")
    assert bench.refusal(wrong) is xdr.TransactionResultCode.txBAD_AUTH
