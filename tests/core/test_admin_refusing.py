from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from lensproject.core.admin import Danger
from lensproject.core.admin.dangers import ReasonForm
from lensproject.core.admin.refusing import one_change
from lensproject.core.errors import StaleVersion
from payments.admin.organisations import OrganisationAdmin
from payments.models import Organisation
from tests.builders import make_organisation
from tests.desk.conftest import superuser
from tests.desk.forms import mistakes, send

__all__ = ["superuser"]


def written_in_the_same_instant(values: dict[str, str], **said: object) -> Organisation:
    """As when somebody else's row of that name is committed between our check and our insert."""
    Organisation.objects.bulk_create([Organisation(**values), Organisation(**values)])
    raise AssertionError("the database takes no two of a name")


def make(*names: str, then: Exception | None = None) -> None:
    with one_change():
        for name in names:
            Organisation.objects.create(name=name)
        if then is not None:
            raise then


def test_a_collision_is_a_mistake_like_any_other_and_nothing_is_kept(db: None) -> None:
    organisation = make_organisation(name="Acme")

    with pytest.raises(ValidationError, match="collides"):
        make("Before", "Acme")

    assert list(Organisation.objects.all()) == [organisation]


@pytest.mark.parametrize("refusal", [ValidationError("no"), StaleVersion("late")])
def test_what_a_service_refuses_goes_through_and_nothing_is_kept(db: None, refusal: Exception) -> None:
    with pytest.raises(type(refusal)):
        make("Acme", then=refusal)

    assert not Organisation.objects.exists()


def test_a_collision_on_a_page_is_told_there_with_what_was_typed(
    superuser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(OrganisationAdmin, "create", staticmethod(written_in_the_same_instant))

    refused = send(superuser, "/admin/payments/organisation/add/", name="Acme")

    assert refused.status_code == 200
    assert "collides with a row that was just written" in mistakes(refused)
    assert 'value="Acme"' in refused.content.decode()
    assert not Organisation.objects.exists()


def test_a_danger_that_says_nothing_is_always_possible_and_does_nothing(db: None) -> None:
    danger: Danger[Organisation] = Danger()
    row = make_organisation()

    assert danger.unavailable(row) is None
    assert danger.question(row, None) is None
    assert danger.effect(row, {}) == ()
    with pytest.raises(NotImplementedError):
        danger.act(row, {}, row_version=1, by=None, reason="x")


@pytest.mark.parametrize(
    ("reason", "good"), [("because", True), ("", False), ("  ", False), ("x" * 200, True), ("x" * 201, False)]
)
def test_a_second_page_wants_a_reason_of_a_readable_length(reason: str, good: bool) -> None:
    assert ReasonForm({"reason": reason, "row_version": "1"}).is_valid() is good
