"""People at the desk, each in a browser of their own."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Group, User
from django.test import Client

from tests.builders import make_user


def signed_in(*roles: str, **over: Any) -> Client:
    """A browser in which somebody with these roles is signed in."""
    user = make_user(is_staff=True, **over)
    user.groups.set(Group.objects.filter(name__in=roles))
    client = Client()
    client.force_login(user)
    return client


def who(client: Client) -> User:
    """Who is signed in."""
    return User.objects.get(pk=client.session["_auth_user_id"])
