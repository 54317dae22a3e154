from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from lensproject.management.demo.run_file import Secrets
from lensproject.management.demo.seeding import operator
from lensproject.management.demo.seeding.once import Once
from tests.builders import make_user

pytestmark = pytest.mark.django_db


def test_the_first_operator_gets_a_password_that_was_made_for_it() -> None:
    first = operator.find_or_make(Once(), Secrets())
    assert (first.user.username, first.user.is_superuser, first.user.is_staff) == ("admin", True, True)
    assert first.is_new
    assert first.password is not None
    assert len(first.password) >= 16
    assert first.user.check_password(first.password)


def test_no_two_passwords_are_alike() -> None:
    first = operator.find_or_make(Once(), Secrets()).password
    User.objects.all().delete()
    assert operator.find_or_make(Once(), Secrets()).password != first


def test_the_password_of_the_run_before_is_known_while_it_opens() -> None:
    first = operator.find_or_make(Once(), Secrets())
    again = operator.find_or_make(Once(), Secrets("admin", first.password, None))
    assert (again.user, again.password, again.is_new) == (first.user, first.password, False)


def test_a_password_that_was_changed_since_is_nobodys_to_know_and_stays() -> None:
    first = operator.find_or_make(Once(), Secrets())
    first.user.set_password("of my own choice")
    first.user.save()
    again = operator.find_or_make(Once(), Secrets("admin", first.password, None))
    assert (again.user, again.password) == (first.user, None)
    assert User.objects.get().check_password("of my own choice")


def test_a_password_that_was_lost_is_not_replaced() -> None:
    first = operator.find_or_make(Once(), Secrets())
    again = operator.find_or_make(Once(), Secrets())
    assert again.password is None
    assert User.objects.get().check_password(first.password or "")


def test_an_operator_of_another_name_is_operator_enough() -> None:
    person = make_user(username="grace", is_superuser=True, is_staff=True)
    found = operator.find_or_make(Once(), Secrets())
    assert (found.user, found.password, found.is_new) == (person, None, False)
    assert User.objects.count() == 1


def test_the_password_of_one_is_not_tried_on_another() -> None:
    make_user(username="grace", password="the same", is_superuser=True)
    assert operator.find_or_make(Once(), Secrets("admin", "the same", None)).password is None


def test_who_is_locked_out_is_no_operator_and_keeps_the_name() -> None:
    make_user(username="admin", is_superuser=True, is_active=False)
    once = Once()
    found = operator.find_or_make(once, Secrets())
    assert found.user.username == "admin2"
    assert once.made == ["user admin2"]
    assert not User.objects.get(username="admin").is_active
