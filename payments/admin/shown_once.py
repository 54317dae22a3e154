"""The one page that ever shows a key's secret: the answer to the POST that made it, stored nowhere."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse

from payments.models import ApiKey


def show_token(request: HttpRequest, key: ApiKey, token: str) -> HttpResponse:
    """Not in a message (that is a cookie), not behind a redirect (that is a place to keep it), not in any cache."""
    context = {
        **admin.site.each_context(request),
        "title": "Keep this key now",
        "subtitle": key.name,
        "opts": ApiKey._meta,
        "key": key,
        "token": token,
        "page": reverse("admin:payments_apikey_change", args=(key.pk,)),
    }
    response = TemplateResponse(request, "desk/key_shown_once.html", context)
    response["Cache-Control"] = "no-store"
    response["Referrer-Policy"] = "no-referrer"
    return response
