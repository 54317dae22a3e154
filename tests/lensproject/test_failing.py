"""Pages for people fail with a page for people."""

from __future__ import annotations

import pytest
from django.db import InterfaceError, OperationalError
from django.test import Client, RequestFactory

from lensproject.desk.failing import server_error

SECRET = "postgres://lens:secret@db"
WITH_SESSION = {"Cookie": f"sessionid={'a' * 32}"}


@pytest.fixture
def browser() -> Client:
    return Client(raise_request_exception=False, headers=WITH_SESSION)


@pytest.mark.parametrize("path", ["/admin/", "/admin/login/", "/admin/payments/agent/", "/"])
def test_a_page_says_that_the_database_is_away(browser: Client, no_database: None, path: str) -> None:
    response = browser.get(path)
    assert (response.status_code, response["Retry-After"], response["Cache-Control"]) == (503, "5", "no-store")
    assert "The database does not answer at the moment" in response.content.decode()


def test_a_form_that_cannot_be_kept_says_so(browser: Client, no_database: None) -> None:
    response = browser.post("/admin/login/", {"username": "ann", "password": "x"})
    assert response.status_code == 503


def test_programs_get_their_own_shape(browser: Client, no_database: None) -> None:
    response = browser.get("/api/v1/pairs", headers=WITH_SESSION)
    assert (response.status_code, response.json()["error"]["code"]) == (503, "UNAVAILABLE")


@pytest.mark.parametrize(
    ("error", "status", "told"),
    [
        (OperationalError(SECRET), 503, "does not answer"),
        (InterfaceError(SECRET), 503, "does not answer"),
        (RuntimeError(SECRET), 500, "Something failed on our side"),
    ],
)
def test_no_page_says_what_went_wrong_inside(error: Exception, status: int, told: str) -> None:
    try:
        raise error
    except Exception:
        response = server_error(RequestFactory().get("/admin/"))
    assert (response.status_code, told in response.content.decode()) == (status, True)
    assert "secret" not in response.content.decode()
