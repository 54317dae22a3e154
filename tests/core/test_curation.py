from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError

from bazaar.models import CatalogEntry
from lensproject.core import clock, curation
from lensproject.core.errors import StaleVersion
from payments.models import ApiKey, Organisation
from tests.builders import make_entry, make_key, make_organisation, make_user

pytestmark = pytest.mark.django_db
AT = datetime(2026, 11, 30, 20, 0, tzinfo=UTC)


def reasons(row: Organisation) -> list[tuple[str, str, str | None]]:
    """History, oldest first: kind of change, name, reason."""
    rows = row.history.order_by("history_id")
    return [(change.history_type, change.name, change.history_change_reason) for change in rows]


def test_a_new_row_has_version_1_and_a_history() -> None:
    user = make_user()
    row = curation.create(Organisation(name="Acme"), by=user, reason="first customer")
    assert (row.pk is not None, row.row_version) == (True, 1)
    assert reasons(row) == [("+", "Acme", "first customer")]
    assert row.history.get().history_user == user


def test_a_new_row_that_is_not_valid_is_not_written() -> None:
    with pytest.raises(ValidationError) as caught:
        curation.create(Organisation(name=""), by=None, reason="x")
    assert "name" in caught.value.message_dict
    assert not Organisation.objects.exists()
    assert not Organisation.history.exists()


def test_creating_never_overwrites() -> None:
    row = make_organisation(name="Acme")
    with pytest.raises((ValidationError, IntegrityError)):
        curation.create(Organisation(pk=row.pk, name="Other"), by=None, reason="x")
    row.refresh_from_db()
    assert row.name == "Acme"


def test_a_change_moves_the_version_and_writes_history_with_who_and_why() -> None:
    user, row = make_user(), make_organisation(name="Acme")
    with clock.frozen(AT):
        fresh = curation.revise(row, {"name": "Acme Ltd"}, row_version=1, by=user, reason="new legal form")
    assert (fresh.name, fresh.row_version, fresh.updated_at) == ("Acme Ltd", 2, AT)
    assert reasons(row) == [("+", "Acme", "test"), ("~", "Acme Ltd", "new legal form")]
    assert row.history.latest().history_user == user


def test_no_change_writes_nothing() -> None:
    row = make_organisation(name="Acme")
    same = curation.revise(row, {"name": "Acme"}, row_version=1, by=None, reason="x")
    assert same is row
    assert (Organisation.objects.get().row_version, len(reasons(row))) == (1, 1)


def test_who_comes_second_is_told_and_writes_nothing() -> None:
    row = make_organisation(name="Acme")
    mine, theirs = Organisation.objects.get(), Organisation.objects.get()
    curation.revise(theirs, {"name": "Theirs"}, row_version=1, by=None, reason="first")
    with pytest.raises(StaleVersion) as caught:
        curation.revise(mine, {"name": "Mine"}, row_version=1, by=None, reason="second")
    assert caught.value.details == {"rowVersion": 2}
    assert Organisation.objects.get().name == "Theirs"
    assert [change[1] for change in reasons(row)] == ["Acme", "Theirs"]


def test_a_row_that_is_gone_is_stale() -> None:
    row = make_organisation()
    Organisation.objects.all().delete()
    with pytest.raises(StaleVersion) as caught:
        curation.revise(row, {"name": "Other"}, row_version=1, by=None, reason="x")
    assert caught.value.details == {"rowVersion": None}


def test_a_change_that_is_not_valid_is_not_written() -> None:
    row = make_organisation(name="Acme")
    with pytest.raises(ValidationError):
        curation.revise(row, {"name": ""}, row_version=1, by=None, reason="x")
    assert (Organisation.objects.get().name, len(reasons(row))) == ("Acme", 1)
    assert row.name == "Acme"


def test_a_conflict_with_another_row_is_a_validation_error() -> None:
    make_organisation(name="Taken")
    row = make_organisation(name="Acme")
    with pytest.raises(ValidationError) as caught:
        curation.revise(row, {"name": "Taken"}, row_version=1, by=None, reason="x")
    assert list(caught.value.message_dict) == ["name"]


def test_parts_in_other_tables_move_the_version_too() -> None:
    row = make_organisation(name="Acme")
    fresh = curation.mark_revised(row, row_version=1, by=None, reason="a team came")
    assert fresh.row_version == 2
    assert reasons(row) == [("+", "Acme", "test"), ("~", "Acme", "a team came")]
    with pytest.raises(StaleVersion):
        curation.mark_revised(row, row_version=1, by=None, reason="again")
    assert Organisation.objects.get().row_version == 2


def test_the_reason_of_one_change_is_not_kept_for_the_next() -> None:
    row = curation.create(Organisation(name="Acme"), by=make_user(), reason="first customer")
    row.name = "Acme Ltd"
    row.save()
    assert reasons(row) == [("+", "Acme", "first customer"), ("~", "Acme Ltd", None)]
    assert row.history.latest().history_user is None


def test_who_is_beaten_to_a_name_hears_that_it_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    late = Organisation(name="Acme")
    validated = late.full_clean

    def then_somebody_is_faster() -> None:
        validated()
        if not Organisation.objects.exists():
            make_organisation(name="Acme")

    monkeypatch.setattr(late, "full_clean", then_somebody_is_faster)
    with pytest.raises(ValidationError) as refusal:
        curation.create(late, by=None, reason="second")
    assert "name" in refusal.value.message_dict
    assert Organisation.objects.count() == 1


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_a_text_that_a_database_cannot_keep_is_refused(name: str) -> None:
    with pytest.raises(ValidationError) as caught:
        curation.create(Organisation(name=name), by=None, reason="x")
    assert caught.value.message_dict == {"name": ["Text cannot hold a NUL character or half of a surrogate pair."]}
    assert not Organisation.objects.exists()


@pytest.mark.parametrize("example", [{"a": "\0"}, [float("nan")], {"a": 2**2000}])
def test_a_document_that_a_database_cannot_keep_is_refused(example: object) -> None:
    entry = make_entry()
    with pytest.raises(ValidationError) as caught:
        curation.revise(entry, {"example": example}, row_version=entry.row_version, by=None, reason="x")
    assert list(caught.value.message_dict) == ["example"]
    assert CatalogEntry.objects.get().example == entry.example


def test_true_is_another_document_than_1() -> None:
    entry = make_entry(example={"a": [1]})
    revised = curation.revise(entry, {"example": {"a": [True]}}, row_version=entry.row_version, by=None, reason="x")
    assert revised.row_version == entry.row_version + 1
    assert CatalogEntry.objects.get().example["a"][0] is True
    same = curation.revise(revised, {"example": {"a": [True]}}, row_version=revised.row_version, by=None, reason="x")
    assert same.row_version == revised.row_version


@pytest.mark.parametrize(
    "at",
    [
        datetime(9999, 12, 31, 23, 59, tzinfo=UTC),
        datetime(9999, 12, 31, 23, 59, tzinfo=timezone(timedelta(hours=-5))),
        datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))),
    ],
    ids=str,
)
def test_a_time_that_some_zone_cannot_show_is_refused(at: datetime) -> None:
    key, _ = make_key()
    with pytest.raises(ValidationError) as caught:
        curation.revise(key, {"expires_at": at}, row_version=1, by=None, reason="x")
    assert caught.value.message_dict == {"expires_at": ["This is too far away to be shown in every time zone."]}
    assert ApiKey.objects.get().expires_at is None
