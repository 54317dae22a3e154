"""Nobody gives powers that they do not have, and nobody who did something disappears."""

from __future__ import annotations

from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import reverse

from tests.builders import make_user
from tests.desk.forms import send
from tests.desk.people import signed_in, who


def page(user: User, name: str = "change") -> str:
    return reverse(f"admin:auth_user_{name}", args=(user.pk,))


def test_a_superuser_gives_a_person_a_role(superuser: Client) -> None:
    person, curator = make_user(), Group.objects.get(name="curator")

    send(superuser, page(person), is_staff="on", groups=[curator.pk])

    person = User.objects.get(pk=person.pk)
    assert (person.is_staff, list(person.groups.all()), person.is_superuser) == (True, [curator], False)


def test_an_administrator_cannot_make_themselves_a_superuser_or_change_groups(db: None) -> None:
    client = signed_in("administrator")
    me = who(client)

    send(client, page(me), is_superuser="on", groups=[Group.objects.get(name="curator").pk], first_name="Ann")

    me.refresh_from_db()
    assert (me.first_name, me.is_superuser) == ("Ann", False)
    assert list(me.groups.values_list("name", flat=True)) == ["administrator"]


def test_an_administrator_cannot_take_over_a_superuser(db: None) -> None:
    client = signed_in("administrator")
    root = make_user(is_superuser=True, is_staff=True)

    assert client.post(page(root), {"username": "mine"}).status_code == 403
    password = reverse("admin:auth_user_password_change", args=(root.pk,))
    assert client.post(password, {"password1": "mine-all-mine", "password2": "mine-all-mine"}).status_code == 403

    root.refresh_from_db()
    assert root.check_password("secret")


def test_a_person_is_deactivated_and_not_deleted(superuser: Client) -> None:
    person = make_user()

    assert superuser.post(page(person, "delete"), {"post": "yes"}).status_code == 403
    send(superuser, page(person), is_active=None)

    assert User.objects.get(pk=person.pk).is_active is False


def test_a_new_person_can_be_added(superuser: Client) -> None:
    secret = "a long phrase of four words"

    added = send(superuser, reverse("admin:auth_user_add"), username="bea", password1=secret, password2=secret)

    assert added.status_code == 302
    assert User.objects.get(username="bea").check_password(secret)
