"""The desk's front door, and the cookie that keeps it open."""

from __future__ import annotations

import pytest
from axes.models import AccessAttempt
from django.contrib.sessions.models import Session
from django.test import Client
from pytest_django import Settings

from tests.desk.forms import mistakes
from tests.desk.people import signed_in

LOGIN = "/admin/login/"
ODD_KEYS = [r'"aaaaaaaaaaaaaaaa\000"', "aaaaaaaaaaaaaaaa;", "a" * 4000, "aaaaaaaa-aaaaaaaa", "éééééééééééééééé"]


@pytest.fixture
def counting(db: None, settings: Settings) -> None:
    settings.AXES_ENABLED = True


@pytest.mark.usefixtures("counting")
@pytest.mark.parametrize("name", ["a" * 151, "a" * 256, "é" * 100_000], ids=len)
def test_a_name_that_nobody_can_have_is_wrong_and_not_counted(name: str) -> None:
    answer = Client().post(LOGIN, {"username": name, "password": "x"})
    assert (answer.status_code, "correct username and password" in mistakes(answer)) == (200, True)
    assert not AccessAttempt.objects.exists()


@pytest.mark.usefixtures("counting")
def test_a_wrong_password_is_counted() -> None:
    answer = Client().post(LOGIN, {"username": "a" * 150, "password": "x"})
    assert "correct username and password" in mistakes(answer)
    assert AccessAttempt.objects.get().failures_since_start == 1


@pytest.mark.django_db
@pytest.mark.parametrize("key", ODD_KEYS, ids=lambda key: ascii(key[:20]))
@pytest.mark.parametrize(("path", "status"), [("/admin/", 302), (LOGIN, 200), ("/", 200), ("/api/v1/pairs", 401)])
def test_a_cookie_that_is_no_session_is_nobody(key: str, path: str, status: int) -> None:
    client = Client(headers={"Cookie": f"sessionid={key}"})
    assert client.get(path).status_code == status
    assert not Session.objects.exists()


def test_a_session_goes_on_with_its_cookie(db: None) -> None:
    client = signed_in(is_superuser=True)
    key = client.cookies["sessionid"].value
    assert (len(key), key.isalnum()) == (32, True)
    assert client.get("/admin/").status_code == 200
