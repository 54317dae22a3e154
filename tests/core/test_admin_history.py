"""Revisions in words, from the rows that django-simple-history keeps."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from bazaar.models import Asset, Seller
from lensproject.core import curation
from lensproject.core.admin.history import Change, Wording, revisions, sentences, since
from tests.builders import make_asset, make_entry, make_key, make_option, make_seller, make_user, make_venue

pytestmark = pytest.mark.django_db


def test_the_first_revision_names_what_was_given_and_leaves_out_what_was_empty() -> None:
    venue = make_venue(key="sdex", source="http://book.example")

    (made,) = revisions(venue, newest=10)

    assert (made.version, made.by, made.kind, made.reason) == (1, "the platform", "made", "test")
    assert made.changes == (
        Change("network", "–", "stellar:local"),
        Change("key", "–", "sdex"),
        Change("kind", "–", "Stellar order book (SDEX)"),
        Change("source", "–", "http://book.example"),
        Change("enabled", "–", "yes"),
        Change("weight (percent)", "–", "100"),
    )


def test_a_change_names_both_sides_and_no_bookkeeping() -> None:
    venue = make_venue()
    ann = make_user(username="ann")
    curation.revise(venue, {"enabled": False, "kind": "pools"}, row_version=1, by=ann, reason="moved")

    newest = revisions(venue, newest=1)[0]

    assert (newest.version, newest.by, newest.kind, newest.reason) == (2, "ann", "changed", "moved")
    assert newest.changes == (
        Change("kind", "Stellar order book (SDEX)", "Classic liquidity pools"),
        Change("enabled", "yes", "no"),
    )


def test_an_amount_is_told_in_its_asset_and_without_one_in_units() -> None:
    option = make_option(asset=make_asset("USDC"))
    curation.revise(option, {"amount": 1}, row_version=1, by=None, reason="least")

    in_asset = revisions(option, newest=1, wording=Wording(assets={"amount": "asset"}))[0]
    in_units = revisions(option, newest=1)[0]

    assert in_asset.changes == (Change("amount", "0.50 USDC", "0.0000001 USDC"),)
    assert in_units.changes == (Change("amount", "5000000", "1"),)


def test_lists_and_times_are_told_plainly() -> None:
    entry = make_entry(tags=["a"])
    curation.revise(entry, {"tags": ["a", "ü"]}, row_version=2, by=None, reason="x")
    seller = make_seller()
    at = datetime(2026, 11, 30, 20, 24, 34, tzinfo=UTC)
    curation.revise(seller, {"domain_verified_at": at}, row_version=1, by=None, reason="x")

    assert revisions(entry, newest=1)[0].changes == (Change("tags", '["a"]', '["a", "ü"]'),)
    assert revisions(seller, newest=1)[0].changes == (Change("domain verified at", "–", "30 Nov 2026, 20:24:34 UTC"),)


def test_secrets_are_named_and_not_shown() -> None:
    key, _ = make_key()

    changes = {change.label: change.after for change in revisions(key, newest=1)[0].changes}

    assert changes["digest"] == changes["pepper id"] == "(not shown)"


def test_a_page_may_say_less_of_a_value_than_there_is() -> None:
    venue = make_venue(source="http://user:secret@book.example/")
    wording = Wording(special={"source": lambda value: value.rpartition("@")[2]})

    changes = {change.label: change.after for change in revisions(venue, newest=1, wording=wording)[0].changes}

    assert changes["source"] == "book.example/"


def test_a_related_row_that_is_gone_is_told_by_its_number() -> None:
    entry = make_entry(priced=False, seller=make_seller())
    gone = entry.seller_id
    curation.revise(entry, {"seller": make_seller(name="Second")}, row_version=1, by=None, reason="sold")
    Seller.history.filter(id=gone).delete()
    Seller.objects.filter(pk=gone).delete()

    assert revisions(entry, newest=1)[0].changes == (Change("seller", f"#{gone}", "Second"),)


def test_names_of_related_rows_are_one_query_a_model_whatever_the_length() -> None:
    entry = make_entry()
    for number in range(6):
        entry = curation.revise(
            entry, {"seller": make_seller()}, row_version=entry.row_version, by=None, reason=str(number)
        )

    with CaptureQueriesContext(connection) as queries:
        assert len(revisions(entry, newest=50)) == 8

    assert len([query for query in queries if 'FROM "bazaar_seller"' in query["sql"]]) == 1


def test_pages_of_the_history_meet_without_a_gap() -> None:
    venue = make_venue(weight=0)
    for weight in (1, 2, 3):
        venue = curation.revise(venue, {"weight": weight}, row_version=venue.row_version, by=None, reason="x")

    newer, older = revisions(venue, newest=2), revisions(venue, newest=2, skip=2)

    assert [revision.version for revision in (*newer, *older)] == [4, 3, 2, 1]
    assert [(change.before, change.after) for change in newer[1].changes] == [("1", "2")]
    assert [(change.before, change.after) for change in older[0].changes] == [("0", "1")]


def test_what_was_changed_since_a_version_in_sentences() -> None:
    venue = make_venue(weight=0)
    ann = make_user(username="ann")
    for weight, reason in ((1, "first"), (2, "")):
        venue = curation.revise(venue, {"weight": weight}, row_version=venue.row_version, by=ann, reason=reason)
    venue.history.update(history_date=datetime(2026, 11, 30, 20, 24, 34, tzinfo=UTC))

    assert [revision.version for revision in since(venue, 2)] == [3]
    assert list(sentences(since(venue, 1))) == [
        "ann changed “weight (percent)” from 1 to 2 at 30 Nov 2026, 20:24:34 UTC.",
        "ann changed “weight (percent)” from 0 to 1 at 30 Nov 2026, 20:24:34 UTC. Reason: first.",
    ]
    assert since(venue, 3) == []


def test_a_row_without_history_has_none() -> None:
    asset = make_asset()
    Asset.history.all().delete()

    assert revisions(asset, newest=10) == []
