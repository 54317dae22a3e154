"""The operator's time zone: chosen on a page, kept in a cookie, active for every page of the desk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone

from lensproject.core import zones

COOKIE = "desk_zone"
ONE_YEAR = 365 * 24 * 60 * 60


def zone_of(request: HttpRequest) -> ZoneInfo:
    """What the person chose, else the setting LENS_TIME_ZONE."""
    chosen = request.COOKIES.get(COOKIE, "")
    return zones.zone(chosen if chosen in zones.names() else settings.LENS.time_zone)


class OperatorZone:
    """Middleware: on the desk, times, days and filters are in the operator's zone. Elsewhere all is UTC."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path.startswith(reverse("admin:index")):
            return self.get_response(request)
        with timezone.override(zone_of(request)):
            return self.get_response(request)


class ZoneForm(forms.Form):
    """One of the zones that the platform knows."""

    zone = forms.ChoiceField(
        choices=lambda: [(name, name) for name in sorted(zones.names())],
        help_text="For this browser. What is stored and what programs get stays in UTC.",
    )


def choose(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    """Show the choice; POST keeps it."""
    form = ZoneForm(request.POST or None, initial={"zone": zone_of(request).key})
    if request.method != "POST" or not form.is_valid():
        return TemplateResponse(request, "desk/zone.html", {**context, "title": "Time zone", "form": form})
    messages.success(request, f"Times are now in {form.cleaned_data['zone']}.")
    response = HttpResponseRedirect(reverse("admin:index"))
    response.set_cookie(
        COOKIE,
        form.cleaned_data["zone"],
        max_age=ONE_YEAR,
        httponly=True,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )
    return response
