"""The person who may do everything in the admin."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from django.contrib.auth.models import User

from lensproject.management.demo.run_file import Secrets
from lensproject.management.demo.seeding.once import Once

USERNAME = "admin"


@dataclass(frozen=True)
class Operator:
    """An operator; `password` is None when nobody but its owner knows it. `is_new`: made by this run."""

    user: User
    password: str | None
    is_new: bool


def find_or_make(once: Once, earlier: Secrets) -> Operator:
    """The operator of the run before, else any who may do everything, else a new one with a generated password."""
    people = User.objects.filter(is_superuser=True, is_active=True).order_by("pk")
    user = people.filter(username=earlier.admin_user).first() or people.first()
    if user is None:
        return _make(once)
    password = earlier.admin_password
    known = password is not None and user.username == earlier.admin_user and user.check_password(password)
    return Operator(user, password if known else None, is_new=False)


def _make(once: Once) -> Operator:
    name, others = USERNAME, 1
    while User.objects.filter(username=name).exists():
        others += 1
        name = f"{USERNAME}{others}"
    password = secrets.token_urlsafe(12)
    user = User.objects.create_superuser(name, password=password)
    once.made.append(f"user {name}")
    return Operator(user, password, is_new=True)
