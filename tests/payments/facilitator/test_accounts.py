"""Leasing accounts: one holder at a time, and nobody while a transaction is under way."""

from __future__ import annotations

from datetime import timedelta

import pytest

from lensproject.core import clock
from payments.facilitator.accounts import LEASE, any_active, lease, release, set_aside
from payments.models import SourceAccount
from tests.builders import make_attempt, make_network, make_settlement, make_source_account

pytestmark = pytest.mark.django_db
LOCAL = "stellar:local"


def test_a_free_account_is_leased_once() -> None:
    account = make_source_account()

    assert lease(LOCAL, "one") == account
    assert lease(LOCAL, "two") is None
    account.refresh_from_db()
    assert account.holder == "one"


def test_the_longest_unused_comes_first() -> None:
    now = clock.now()
    make_source_account(used_at=now)
    oldest = make_source_account(used_at=now - timedelta(hours=1))
    never = make_source_account()

    assert [lease(LOCAL, "one"), lease(LOCAL, "two")] == [never, oldest]


def test_a_released_account_is_free_and_only_its_holder_releases_it() -> None:
    account = make_source_account()
    lease(LOCAL, "one")

    release(account.pk, "two")
    assert lease(LOCAL, "two") is None
    release(account.pk, "one")
    assert lease(LOCAL, "two") == account


def test_a_lease_that_ran_out_is_taken_over() -> None:
    account = make_source_account()
    at = clock.now()
    with clock.frozen(at):
        lease(LOCAL, "one")
    with clock.frozen(at + LEASE - timedelta(seconds=1)):
        assert lease(LOCAL, "two") is None
    with clock.frozen(at + LEASE):
        assert lease(LOCAL, "two") == account


def test_a_transaction_under_way_keeps_its_account_for_as_long_as_it_takes() -> None:
    account = make_source_account()
    make_attempt(source_account=account, settlement=make_settlement())

    with clock.frozen(clock.now() + timedelta(days=1)):
        assert lease(LOCAL, "two") is None


def test_an_account_that_ended_its_transaction_is_free() -> None:
    account = make_source_account()
    make_attempt(source_account=account, state="impossible", envelope="", ended_at=clock.now())
    assert lease(LOCAL, "two") == account


@pytest.mark.parametrize("state", ["low", "paused"])
def test_what_is_not_active_is_not_leased(state: str) -> None:
    make_source_account(state=state)
    assert lease(LOCAL, "one") is None
    assert any_active(LOCAL) is False


def test_accounts_of_another_network_are_not_leased() -> None:
    make_source_account(network=make_network("stellar:testnet"))
    assert lease(LOCAL, "one") is None


def test_an_account_set_aside_is_low_and_held_by_nobody() -> None:
    account = make_source_account()
    lease(LOCAL, "one")

    set_aside(account.pk, "two")
    assert SourceAccount.objects.get().state == "active"
    set_aside(account.pk, "one")

    found = SourceAccount.objects.get()
    assert (found.state, found.holder, found.leased_until) == ("low", "", None)
