"""The one page that ever shows a key's secret: the answer to the POST that made it, stored nowhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib import admin
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse

from payments.models import ApiKey

REMEMBERED_FOR = 24 * 60 * 60


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


@contextmanager
def sent_once(form: str) -> Iterator[None]:
    """Refuses a form that issued a key already: reloading the page that showed it sends the form again.

    Raises ValidationError. A form that was refused for another reason may be sent again.
    """
    mark = f"desk:issued:{form}"
    if not cache.add(mark, True, REMEMBERED_FOR):
        raise ValidationError(
            "This form has issued a key already, and its secret is not shown twice. If it was not kept, open the key "
            "and replace its secret.",
            code="sent_twice",
        )
    try:
        yield
    except Exception:
        cache.delete(mark)
        raise
