"""Times are shown in the operator's zone, whose name is on every page; what is stored stays in UTC."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from lensproject.core import clock
from lensproject.desk.zones import COOKIE
from payments.models import ApiKey
from tests.builders import make_key
from tests.desk.forms import send
from tests.desk.html import text

WINTER = datetime(2026, 11, 30, 20, 24, 34, 123000, tzinfo=UTC)


def choose(client: Client, zone: str) -> None:
    client.cookies[COOKIE] = zone


def test_the_zone_is_named_with_its_offset_and_may_be_changed(superuser: Client) -> None:
    with clock.frozen(WINTER):
        assert "Times are in UTC (UTC+00:00)" in text(superuser.get(reverse("admin:index")))
        send(superuser, reverse("admin:zone"), zone="Europe/Berlin")
        assert "Times are in Europe/Berlin (UTC+01:00)" in text(superuser.get(reverse("admin:index")))

    cookie = superuser.cookies[COOKIE]
    assert (cookie.value, cookie["httponly"], cookie["samesite"]) == ("Europe/Berlin", True, "Lax")


def test_a_zone_with_half_an_hour_says_so(superuser: Client) -> None:
    choose(superuser, "Asia/Kolkata")

    assert "Asia/Kolkata (UTC+05:30)" in text(superuser.get(reverse("admin:index")))


def test_a_time_is_local_on_the_page_and_exact_in_the_tooltip(superuser: Client) -> None:
    key = make_key()[0]
    ApiKey.objects.update(last_used_at=WINTER)
    choose(superuser, "Europe/Berlin")

    shown = superuser.get(reverse("admin:payments_apikey_change", args=(key.pk,))).content.decode()

    assert (
        '<time datetime="2026-11-30T20:24:34.123Z" title="2026-11-30T20:24:34.123Z">30 Nov 2026, 21:24:34 CET</time>'
    ) in shown


def test_what_is_typed_is_read_in_the_zone_and_stored_in_utc(superuser: Client) -> None:
    key = make_key()[0]
    choose(superuser, "Europe/Berlin")

    address = reverse("admin:payments_apikey_change", args=(key.pk,))
    send(superuser, address, expires_at_0="2027-01-15", expires_at_1="12:00:00", reason="ends")

    assert ApiKey.objects.get().expires_at == datetime(2027, 1, 15, 11, 0, tzinfo=UTC)


@pytest.mark.parametrize("forged", ["Nowhere/Land", "../../etc/passwd", "", "UTC\x00", "é" * 300])
def test_a_forged_zone_is_the_setting_s(superuser: Client, forged: str) -> None:
    choose(superuser, forged)

    assert "Times are in UTC (UTC+00:00)" in text(superuser.get(reverse("admin:index")))


def test_an_unknown_zone_is_refused_and_not_kept(superuser: Client) -> None:
    answer = superuser.post(reverse("admin:zone"), {"zone": "Nowhere/Land"})

    assert answer.status_code == 200
    assert COOKIE not in superuser.cookies


def test_the_setting_is_the_zone_of_who_has_not_chosen(superuser: Client, settings: Settings) -> None:
    settings.LENS = settings.LENS.model_copy(update={"time_zone": "America/Lima"})

    assert "America/Lima (UTC-05:00)" in text(superuser.get(reverse("admin:index")))


def test_no_zone_leaks_to_other_pages(superuser: Client) -> None:
    choose(superuser, "Europe/Berlin")
    superuser.get(reverse("admin:index"))
    superuser.get("/")

    assert timezone.get_current_timezone_name() == "UTC"
