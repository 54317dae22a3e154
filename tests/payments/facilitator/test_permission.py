"""Who may have something settled: open by setting, or by a key bound to proved addresses. Never open on mainnet."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from pytest_django import Settings

from bazaar.models import Seller
from lensproject.core import clock
from lensproject.core.callers import ANONYMOUS, Caller
from lensproject.core.errors import PermissionDenied, Unauthenticated
from lensproject.core.x402.wire import PaymentRequirements
from payments.authentication.verify import caller_of
from payments.facilitator.permission import check_caller, is_open, too_many_failures
from payments.models import ApiKey
from tests.builders import (
    make_attempt,
    make_key,
    make_network,
    make_organisation,
    make_seller,
    make_seller_address,
    make_settlement,
)
from tests.builders.numbers import account, contract

PAY_TO = account(7_000_001)


def terms(network: str = "stellar:local", pay_to: str = PAY_TO) -> PaymentRequirements:
    return PaymentRequirements(
        scheme="exact", network=network, amount="1", asset=contract(1), pay_to=pay_to, max_timeout_seconds=60
    )


def opened(settings: Settings, **over: object) -> None:
    settings.LENS = settings.LENS.model_copy(update={"facilitator_open": True, **over})


def key_of(seller: Seller, **over: Any) -> tuple[ApiKey, Caller]:
    key, _ = make_key(organisation=make_organisation(), seller=seller, can_settle=True, **over)
    return key, caller_of(key)


def proved(seller: Seller, pay_to: str = PAY_TO) -> None:
    make_seller_address(seller=seller, network=make_network(), address=pay_to, proved_at=clock.now())


def test_open_needs_no_key(settings: Settings) -> None:
    opened(settings)
    assert check_caller(ANONYMOUS, terms()) is None


def test_closed_needs_one() -> None:
    with pytest.raises(Unauthenticated) as refusal:
        check_caller(ANONYMOUS, terms())
    assert refusal.value.details == {"scope": "facilitator"}


def test_it_is_never_open_on_mainnet(settings: Settings) -> None:
    opened(settings, mainnet_enabled=True)
    assert is_open("stellar:pubnet") is False
    with pytest.raises(Unauthenticated):
        check_caller(ANONYMOUS, terms("stellar:pubnet"))


@pytest.mark.django_db
def test_a_key_settles_for_the_proved_address_of_its_seller() -> None:
    seller = make_seller()
    proved(seller)
    key, caller = key_of(seller)

    assert check_caller(caller, terms()) == key.pk


@pytest.mark.django_db
def test_an_address_that_is_not_proved_is_not_enough() -> None:
    seller = make_seller()
    make_seller_address(seller=seller, network=make_network(), address=PAY_TO)
    _, caller = key_of(seller)

    with pytest.raises(PermissionDenied) as refusal:
        check_caller(caller, terms())
    assert refusal.value.details == {"payTo": PAY_TO}


@pytest.mark.django_db
def test_the_address_of_another_seller_is_refused() -> None:
    proved(make_seller())
    _, caller = key_of(make_seller())

    with pytest.raises(PermissionDenied):
        check_caller(caller, terms())


@pytest.mark.django_db
def test_a_key_is_refused_on_a_network_that_it_does_not_name() -> None:
    seller = make_seller()
    proved(seller)
    _, caller = key_of(seller, networks=[make_network("stellar:testnet")])

    with pytest.raises(PermissionDenied) as refusal:
        check_caller(caller, terms())
    assert refusal.value.details == {"network": "stellar:local"}


@pytest.mark.django_db
def test_a_key_without_the_scope_is_refused_also_when_open(settings: Settings) -> None:
    opened(settings)
    caller = caller_of(make_key()[0])

    with pytest.raises(PermissionDenied) as refusal:
        check_caller(caller, terms())
    assert refusal.value.details == {"scope": "facilitator"}


def failed(minutes_ago: int, **over: object) -> None:
    ended = clock.now() - timedelta(minutes=minutes_ago)
    make_attempt(settlement=make_settlement(**over), state="failed", envelope="", fee_charged=100, ended_at=ended)


@pytest.mark.django_db
@pytest.mark.parametrize("whose", ["payer", "pay_to"])
def test_three_failures_within_an_hour_are_too_many(whose: str) -> None:
    name = account(7_000_002)
    for minutes in (10, 30, 59):
        assert too_many_failures(name, name) is False
        failed(minutes, **{whose: name})

    assert too_many_failures(name, "somebody") is (whose == "payer")
    assert too_many_failures("somebody", name) is (whose == "pay_to")


@pytest.mark.django_db
def test_failures_of_an_hour_ago_are_forgotten() -> None:
    name = account(7_000_003)
    for minutes in (10, 30, 61):
        failed(minutes, payer=name)
    assert too_many_failures(name, name) is False
