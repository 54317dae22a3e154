"""Entries: every change is a revision with who and why, and only what can be paid is listed."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import ValidationError

from bazaar.catalog.entries import create_option, revise_entry, revise_option, set_entry_state
from bazaar.catalog.sellers import revise_address, revise_seller
from bazaar.models import CatalogEntry, PaymentOption
from lensproject.core import clock
from lensproject.core.errors import StaleVersion
from tests.builders import make_asset, make_entry, make_option, make_seller, make_seller_address, make_user
from tests.builders.numbers import account

pytestmark = pytest.mark.django_db
WHY: dict[str, Any] = {"by": None, "reason": "test"}


def revisions(entry: CatalogEntry) -> list[tuple[int, str, str]]:
    current: Any = CatalogEntry.objects.get(pk=entry.pk)
    lines = current.history.order_by("history_id")
    return [(line.row_version, line.title, line.history_change_reason) for line in lines]


def test_each_change_is_a_revision() -> None:
    person = make_user()
    entry = make_entry(priced=False, title="Weather")
    revise_entry(entry, {"title": "Weather now"}, row_version=1, by=person, reason="clearer")
    assert revisions(entry) == [(1, "Weather", "test"), (2, "Weather now", "clearer")]
    current: Any = CatalogEntry.objects.get(pk=entry.pk)
    assert current.history.latest().history_user == person


def test_what_changes_nothing_is_no_revision() -> None:
    entry = make_entry(priced=False, title="Weather")
    revise_entry(entry, {"title": "Weather"}, row_version=1, **WHY)
    assert len(revisions(entry)) == 1


def test_a_stale_change_is_refused_and_says_the_version() -> None:
    entry = make_entry(priced=False, title="Weather")
    revise_entry(entry, {"title": "First"}, row_version=1, **WHY)
    with pytest.raises(StaleVersion) as refusal:
        revise_entry(entry, {"title": "Second"}, row_version=1, **WHY)
    assert refusal.value.details == {"rowVersion": 2}
    assert CatalogEntry.objects.get(pk=entry.pk).title == "First"


def test_an_invalid_change_writes_nothing() -> None:
    entry = make_entry(priced=False)
    with pytest.raises(ValidationError):
        revise_entry(entry, {"title": "New", "tags": ["a", "a"]}, row_version=1, **WHY)
    assert len(revisions(entry)) == 1


def test_prices_move_the_entry() -> None:
    entry = make_entry(priced=False)
    option = make_option(entry=entry)
    revised = revise_option(option, {"amount": 7}, row_version=1, by=None, reason="dearer")
    assert revised.amount == 7
    assert [line[0] for line in revisions(entry)] == [1, 2, 3]
    revise_option(revised, {"amount": 7}, row_version=2, **WHY)
    assert [line[0] for line in revisions(entry)] == [1, 2, 3]


@pytest.mark.parametrize("changes", [{"amount": 0}, {"amount": -5}, {"amount": 2**63}, {"pay_to": "G" * 56}])
def test_a_price_that_is_none_is_refused(changes: dict[str, Any]) -> None:
    option = make_option()
    with pytest.raises(ValidationError):
        revise_option(option, changes, row_version=1, **WHY)
    assert PaymentOption.objects.get(pk=option.pk).amount == 5_000_000


def test_one_way_to_pay_once() -> None:
    option = make_option()
    same = {"entry": option.entry, "asset": option.asset, "amount": 9, "pay_to": option.pay_to}
    with pytest.raises(ValidationError, match="this way to pay already"):
        create_option(same, **WHY)
    create_option(same | {"asset": make_asset()}, **WHY)
    assert option.entry.options.count() == 2


def test_what_cannot_be_paid_is_not_listed() -> None:
    entry = make_entry(priced=False, state="draft")
    with pytest.raises(ValidationError, match="without a way to pay"):
        set_entry_state(entry, "listed", row_version=1, **WHY)
    make_option(entry=entry)
    assert set_entry_state(entry, "listed", row_version=2, **WHY).state == "listed"


def test_delisting_and_pausing_say_why() -> None:
    entry = make_entry()
    paused = set_entry_state(entry, "paused", row_version=2, by=None, reason="answers 500")
    assert (paused.state, paused.state_reason) == ("paused", "answers 500")
    listed = set_entry_state(paused, "listed", row_version=3, by=None, reason="mended")
    assert (listed.state, listed.state_reason) == ("listed", "")
    with pytest.raises(ValidationError, match="Say why"):
        set_entry_state(listed, "delisted", row_version=4, by=None, reason="")
    assert set_entry_state(listed, "delisted", row_version=4, by=None, reason="fraud").state_reason == "fraud"


def test_what_an_entry_is_found_under_stays_once_it_is_listed() -> None:
    entry = make_entry()
    with pytest.raises(ValidationError) as refusal:
        revise_entry(entry, {"route": "/other", "title": "Other"}, row_version=2, **WHY)
    assert list(refusal.value.message_dict) == ["route"]
    draft = make_entry(state="draft", priced=False)
    assert revise_entry(draft, {"route": "/other"}, row_version=1, **WHY).route == "/other"


def test_one_key_once() -> None:
    entry = make_entry(priced=False)
    with pytest.raises(ValidationError, match="in the catalogue already"):
        make_entry(priced=False, origin=entry.origin)
    make_entry(priced=False, origin=entry.origin, method="POST")


def test_a_changed_domain_is_a_domain_that_nobody_proved() -> None:
    seller = make_seller(domain="one.example", domain_verified_at=clock.now())
    renamed = revise_seller(seller, {"name": "One"}, row_version=1, **WHY)
    assert renamed.domain_verified_at is not None
    moved = revise_seller(renamed, {"domain": "two.example"}, row_version=2, **WHY)
    assert moved.domain_verified_at is None


def test_an_address_is_never_changed() -> None:
    address = make_seller_address()
    with pytest.raises(ValidationError, match="never changed"):
        revise_address(address, {"address": account(99)}, row_version=1, **WHY)
    assert revise_address(address, {"address": address.address}, row_version=1, **WHY) == address
