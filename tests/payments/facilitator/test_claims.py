"""One row a payment, and what each of its states answers to whom."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bazaar.models import Asset
from lensproject.core import clock
from payments.facilitator import attempts, claims
from payments.facilitator.claims import Asked, answer_again, asked, claim, find, give_back
from payments.models import FacilitatorSettlement
from payments.x402.terms import Checked
from tests.builders import make_asset, make_attempt, make_key, make_settlement
from tests.builders.numbers import account
from tests.payments.x402.made import paying, terms

pytestmark = pytest.mark.django_db
LOCAL = "stellar:local"
WHAT = Asked("a" * 64, "b" * 64, "https://weather.example", None)
ENDED: dict[str, Any] = {"holder": "", "leased_until": None}


def checked(nonce: int = 1, payer: int = 8_000_001) -> Checked:
    return Checked(account(payer), nonce, 1_012, 10_000, LOCAL, b"")


def claimed(asset: Asset, what: Asked = WHAT, holder: str = "one", of: Checked | None = None) -> Any:
    return claim(what, of or checked(), asset=asset, pay_to=account(8_000_002), holder=holder)


def row(**over: Any) -> FacilitatorSettlement:
    made = {"payload_hash": WHAT.payload_hash, "requirements_hash": WHAT.requirements_hash}
    return make_settlement(**made, resource_url=WHAT.resource_url, **over)


def settled(seconds_ago: int = 1) -> FacilitatorSettlement:
    ended = clock.now() - timedelta(seconds=seconds_ago)
    return row(state="settled", transaction="cd" * 32, ledger=1_001, ended_at=ended, **ENDED)


def told(answer: Any) -> tuple[Any, ...] | None:
    return None if answer is None else (answer.success, answer.error_reason, answer.transaction)


def test_what_is_asked_is_the_payload_the_terms_the_resource_and_the_key() -> None:
    same = asked(paying(), terms(), 5)
    assert asked(paying(), terms(), 5) == same
    assert asked(paying("other"), terms(), 5).payload_hash != same.payload_hash
    assert asked(paying(), terms(amount="2"), 5).requirements_hash != same.requirements_hash
    assert asked(paying(resource={"url": "https://b.example"}), terms(), 5).resource_url == "https://b.example"
    assert asked(paying(resource=None), terms(), 5).resource_url == ""
    assert asked(paying(), terms(), 6) != same


def test_the_order_of_keys_means_nothing() -> None:
    turned = dict(reversed(terms().write().items()))
    assert asked(paying(), type(terms()).read(turned), None) == asked(paying(), terms(), None)


def test_a_payment_is_claimed_once() -> None:
    asset = make_asset()
    first = claimed(asset)
    assert claimed(asset, holder="two") is None
    assert FacilitatorSettlement.objects.get() == first == find(checked())
    assert first.holder == "one"


def test_another_nonce_or_payer_is_another_payment() -> None:
    asset = make_asset()
    for of in (checked(), checked(nonce=2), checked(payer=8_000_003), checked(nonce=-(2**63))):
        assert claimed(asset, of=of) is not None
    assert FacilitatorSettlement.objects.count() == 4


def test_after_a_failure_the_same_bytes_claim_again_for_whoever_asks_now() -> None:
    asset = make_asset()
    first = claimed(asset)
    attempts.fail(first.pk, "one", "simulation")
    now = replace(WHAT, resource_url="https://other.example", requirements_hash="c" * 64)

    again = claimed(asset, now, holder="two")

    assert again.pk == first.pk
    assert (again.state, again.holder, again.reason, again.ended_at) == ("working", "two", "", None)
    assert (again.resource_url, again.requirements_hash) == (now.resource_url, now.requirements_hash)


def test_after_a_failure_other_bytes_do_not() -> None:
    asset = make_asset()
    attempts.fail(claimed(asset).pk, "one", "simulation")
    assert claimed(asset, replace(WHAT, payload_hash="d" * 64), holder="two") is None


def test_what_another_transaction_used_is_never_claimed_again() -> None:
    asset = make_asset()
    attempts.fail(claimed(asset).pk, "one", "used", used=True)
    assert claimed(asset, holder="two") is None
    assert FacilitatorSettlement.objects.get().state == "used"


def test_only_the_holder_fails_a_settlement_and_never_with_a_transaction_under_way() -> None:
    first = claimed(make_asset())
    assert attempts.fail(first.pk, "two", "no") is False
    make_attempt(settlement=first)
    assert attempts.fail(first.pk, "one", "no") is False
    assert FacilitatorSettlement.objects.get().state == "working"


def test_while_there_is_no_transaction_nothing_is_answered() -> None:
    assert answer_again(row(), WHAT, LOCAL) is None


def test_under_way_the_same_hear_pending_and_others_that_it_is_used() -> None:
    hash = make_attempt(settlement=row()).inner_hash
    working = FacilitatorSettlement.objects.get()
    assert told(answer_again(working, WHAT, LOCAL)) == (False, "settlement_pending", hash)
    other = replace(WHAT, resource_url="https://other.example")
    assert told(answer_again(working, other, LOCAL)) == (False, "invalid_transaction_state", hash)


def test_of_a_fee_bump_the_outer_hash_is_told() -> None:
    make_attempt(settlement=row(), outer_hash="ef" * 32)
    answer = answer_again(FacilitatorSettlement.objects.get(), WHAT, LOCAL)
    assert told(answer) == (False, "settlement_pending", "ef" * 32)


@pytest.mark.parametrize(("seconds", "again"), [(0, True), (119, True), (121, False)])
def test_settled_the_first_result_is_told_for_two_minutes(seconds: int, again: bool) -> None:
    expected = (True, None, "cd" * 32) if again else (False, "invalid_transaction_state", "cd" * 32)
    assert told(answer_again(settled(seconds), WHAT, LOCAL)) == expected


@pytest.mark.parametrize("field", ["payload_hash", "requirements_hash", "resource_url"])
def test_settled_others_hear_the_hash_only(field: str) -> None:
    changed: dict[str, Any] = {field: "another"}
    other = replace(WHAT, **changed)
    assert told(answer_again(settled(), other, LOCAL)) == (False, "invalid_transaction_state", "cd" * 32)


def test_settled_another_key_hears_the_hash_only() -> None:
    other = replace(WHAT, api_key=make_key()[0].pk)
    assert told(answer_again(settled(), other, LOCAL)) == (False, "invalid_transaction_state", "cd" * 32)


def test_failed_the_same_bytes_may_try_again_and_others_not() -> None:
    failed = row(state="failed", reason="simulation", ended_at=clock.now(), **ENDED)
    assert answer_again(failed, WHAT, LOCAL) is None
    other = replace(WHAT, payload_hash="another")
    assert told(answer_again(failed, other, LOCAL)) == (False, "invalid_transaction_state", "")


def test_used_elsewhere_there_is_no_hash_to_tell() -> None:
    used = row(state="used", reason="used", ended_at=clock.now(), **ENDED)
    assert told(answer_again(used, WHAT, LOCAL)) == (False, "invalid_transaction_state", "")


def test_a_run_that_has_answered_lets_the_worker_go_on_at_once() -> None:
    first = claimed(make_asset())
    give_back(first.pk, "two")
    assert FacilitatorSettlement.objects.get().leased_until == first.leased_until
    give_back(first.pk, "one")
    left = FacilitatorSettlement.objects.get()
    assert left.state == claims.State.WORKING
    assert left.leased_until is not None
    assert left.leased_until <= clock.now()
