"""Pages of what other packages keep: the change log, tasks, failed sign-ins."""

from __future__ import annotations

import pytest
from axes.models import AccessAttempt, AccessFailureLog
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from lensproject.core import clock
from tests.builders import make_pair, make_user
from tests.desk.forms import send
from tests.desk.html import inline_code, text
from tests.desk.rows import MAKE

TASKS = "/admin/django_tasks_database/dbtaskresult/"
LOCKS = "/admin/axes/accessattempt/"


def test_an_edit_is_in_the_change_log(superuser: Client) -> None:
    pair = make_pair()
    send(superuser, reverse("admin:bazaar_pair_pause", args=(pair.pk,)), reason="thin")

    page = superuser.get("/admin/mcp_bridge/change/?q=lens.pairs")

    assert "lens.pairs" in text(page)
    assert pair.key in text(page)


@pytest.mark.parametrize(("status", "count"), [("FAILED", 1), ("READY", 0), ("SUCCESSFUL", 0)])
def test_tasks_are_found_by_what_became_of_them(superuser: Client, status: str, count: int) -> None:
    MAKE[_model("DBTaskResult")]()

    assert superuser.get(f"{TASKS}?status__exact={status}").context["cl"].result_count == count


def test_a_failed_task_says_what_went_wrong_and_escapes_it(superuser: Client) -> None:
    task = MAKE[_model("DBTaskResult")]()
    type(task).objects.update(traceback="ValueError: <script>alert(1)</script>")

    page = superuser.get(f"{TASKS}{task.pk}/change/")

    assert inline_code(page) == []
    assert "ValueError: &lt;script&gt;" in page.content.decode()
    assert "Failed" in text(page)


def test_wrong_passwords_lock_and_are_on_the_desk(superuser: Client, client: Client, settings: Settings) -> None:
    settings.AXES_ENABLED = True
    settings.AXES_FAILURE_LIMIT = 3
    make_user(username="ann", is_staff=True)
    answers = [
        client.post(reverse("admin:login"), {"username": "ann", "password": "wrong"}).status_code for _ in range(4)
    ]
    right = client.post(reverse("admin:login"), {"username": "ann", "password": "secret"}).status_code

    assert answers[0] == 200
    assert {answers[-1], right} == {429}
    locked = superuser.get(f"{LOCKS}?lock=locked")
    assert [row.username for row in locked.context["cl"].result_list] == ["ann"]
    assert "Locked out" in text(locked)
    assert superuser.get("/admin/axes/accessfailurelog/?q=ann").context["cl"].result_count >= 3
    assert "wrong" not in superuser.get(f"{LOCKS}{AccessAttempt.objects.get().pk}/change/").content.decode()


def test_who_is_not_locked_out_is_in_the_other_list(superuser: Client) -> None:
    attempt = MAKE[AccessAttempt]()
    AccessAttempt.objects.filter(pk=attempt.pk).update(failures_since_start=1)

    assert superuser.get(f"{LOCKS}?lock=locked").context["cl"].result_count == 0
    assert superuser.get(f"{LOCKS}?lock=open").context["cl"].result_count == 1


def test_older_failures_are_behind_the_chip(superuser: Client) -> None:
    row = MAKE[AccessFailureLog]()
    AccessFailureLog.objects.filter(pk=row.pk).update(attempt_time=clock.now().replace(year=2020))

    page = superuser.get("/admin/axes/accessfailurelog/")

    assert page.context["cl"].result_count == 0
    assert "Last 7 days ✕" in text(page)


def test_stock_pages_of_other_packages_are_not_on_the_desk() -> None:
    class Stock(admin.ModelAdmin[Permission]):
        """A page that was not made from our bases."""

    admin.site.register(Permission, Stock)
    admin.site.register(Permission)

    assert not admin.site.is_registered(Permission)


def _model(name: str) -> type:
    return next(model for model in MAKE if model.__name__ == name)
