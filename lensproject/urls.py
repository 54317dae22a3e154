"""Routes of the Django half: the page at the root, the admin, the REST API, the facilitator, and the health checks."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

from lensproject import health
from lensproject.api import PREFIX, api, openapi
from lensproject.desk.landing import landing

urlpatterns = [
    path("", landing, name="landing"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path(f"{PREFIX}openapi.json", openapi, name="openapi"),
    path(PREFIX, api.urls),
    path("facilitator/", include("payments.api.facilitator")),
    path("admin/", admin.site.urls),
]

handler500 = "lensproject.desk.failing.server_error"
