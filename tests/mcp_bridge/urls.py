"""The Django half of the servers that these tests start."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import path


def healthz(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok")


urlpatterns = [path("healthz", healthz)]
